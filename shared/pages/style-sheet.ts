// The one style sheet, assembled from its parts in cascade order.
import { baseStyle } from './style/base.ts';
import { componentStyle } from './style/components.ts';
import { loginStyle } from './style/login.ts';
import { managementStyle } from './style/management.ts';
import { printStyle } from './style/print.ts';
import { tokenStyle } from './style/tokens.ts';

export const styleSheet = [tokenStyle, baseStyle, componentStyle, loginStyle, managementStyle, printStyle].join('\n');
