export const componentStyle = '';
