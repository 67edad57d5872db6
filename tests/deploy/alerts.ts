import { join } from 'node:path'

export const alertsFile = join(import.meta.dirname, '../../docs/guides/deploy/alerts.yml')

/** The metrics of Quipu that expressions name. */
export const metricsIn = (text: string): readonly string[] => [
  ...new Set(
    [...text.matchAll(/^ +expr: (.+)$/gm)].flatMap(
      ([, expression]) => expression!.replaceAll(/"[^"]*"/g, '').match(/\bquipu_\w+/g) ?? [],
    ),
  ),
]
