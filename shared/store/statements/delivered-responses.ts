// The statements about `delivered_responses`.

import * as z from 'zod';
import { deliveredResponsesMax } from '#shared/domain/delivered-response.ts';
import { command, query, removeBeyond, type StatementTexts } from './text.ts';

export const deliveredResponseTexts = {
  find: query(
    'SELECT document FROM delivered_responses WHERE namespace = @ns AND service_provider = @sp',
    z.object({ document: z.string() }),
  ),
  remove: command('DELETE FROM delivered_responses WHERE namespace = @ns AND service_provider = @sp'),
  insert: command(
    'INSERT INTO delivered_responses (namespace, service_provider, document) VALUES (@ns, @sp, @document)',
  ),
  makeRoom: removeBeyond('delivered_responses', deliveredResponsesMax),
} satisfies StatementTexts;
