export const baseStyle = '';
