// The statements about `exams`.
import { examRow } from '../rows/exam.ts';
import { namespaceRow } from '../rows/namespace.ts';
import { command, query, type StatementTexts } from './text.ts';

export const examTexts = {
  list: query('SELECT id, held_until, record FROM exams WHERE namespace = @ns ORDER BY seq', examRow),
  find: query('SELECT id, held_until, record FROM exams WHERE namespace = @ns AND id = @id', examRow),
  insert: command('INSERT INTO exams (namespace, id, held_until, record) VALUES (@ns, @id, @held_until, @record)'),
  remove: command('DELETE FROM exams WHERE namespace = @ns AND id = @id'),
  namespaces: query('SELECT DISTINCT namespace FROM exams WHERE held_until <= @real', namespaceRow),
} satisfies StatementTexts;
