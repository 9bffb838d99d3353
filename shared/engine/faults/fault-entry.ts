// A fault as an entry of settings.yaml: the same model as that of POST /api/faults, whose unknown members refuse the load like
// every other mistake, since a fault that is not the one meant would mislead (FLT-32).
import * as z from 'zod';
import { faultOrderModel, readFaultOrder } from './read-fault-order.ts';

export const faultEntry = z.looseObject(faultOrderModel.shape).transform((given, context) => {
  const read = readFaultOrder(given);
  if ('order' in read) return read.order;
  for (const { path, message } of read.problems) context.addIssue({ code: 'custom', path: [...path], message });
  return z.NEVER;
});
