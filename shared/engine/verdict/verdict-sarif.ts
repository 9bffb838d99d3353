// A verdict as a SARIF 2.1.0 log, for tools that show the findings of analysers (VER-10).

import { version } from '#shared/base/version.ts';
import { exchangeId, flowId } from '#shared/engine/recorder/show-exchange.ts';
import type { Finding } from './judge.ts';
import type { Verdict } from './read-verdict.ts';
import { verdictRules } from './rules/index.ts';
import { subjectName } from './show-verdict.ts';
import type { Severity } from './verdict-rule.ts';

const levels = { error: 'error', warning: 'warning', advice: 'note' } as const satisfies Record<Severity, string>;

export function verdictSarif(verdicts: readonly Verdict[]): Readonly<Record<string, unknown>> {
  const rules = verdictRules.map(({ id, title, standard, remedy, severity }) => ({
    id,
    shortDescription: { text: title },
    help: { text: `${remedy} (${standard.reference})` },
    ...(standard.link === undefined ? {} : { helpUri: standard.link }),
    defaultConfiguration: { level: levels[severity] },
  }));
  const results = verdicts.flatMap(({ subject, findings }) =>
    findings.map(({ rule, severity, detail, count, evidence }) => ({
      ruleId: rule.id,
      ruleIndex: verdictRules.indexOf(rule),
      level: levels[severity],
      message: { text: `${detail} ${rule.remedy} (${rule.standard.reference})` },
      occurrenceCount: count,
      locations: [
        {
          physicalLocation: placeOf(evidence),
          logicalLocations: [{ fullyQualifiedName: subjectName(subject), kind: 'module' }],
        },
      ],
      relatedLocations: evidence.map(({ id, flow, path }, index) => ({
        id: index,
        message: { text: `${path} in flow ${flowId(flow)}` },
        physicalLocation: { artifactLocation: { uri: `api/exchanges/${exchangeId(id)}` } },
      })),
    })),
  );
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'test-idp', version, rules } }, results }],
  };
}

/**
 * GitHub's code scanning rejects results without a location in a file. The endpoint serves as one, as the required
 * relative path.
 */
function placeOf([first]: Finding['evidence']) {
  const path = (first?.path ?? '').replace(/^\/+/, '');
  return { artifactLocation: { uri: encodeURI(path === '' ? 'requests' : path) }, region: { startLine: 1 } };
}
