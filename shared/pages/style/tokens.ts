export const tokenStyle = '';
