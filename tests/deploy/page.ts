import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const guides = join(import.meta.dirname, '..', '..', 'docs', 'guides')

/** A code block of a guide: the first in this language that has these words. */
export function blockOf(guide: string, language: string, words = ''): string {
  const blocks = readFileSync(join(guides, guide), 'utf8')
    .split('```')
    .filter((text, index) => index % 2 === 1 && text.startsWith(`${language}\n`))
  const found = blocks.find((text) => text.includes(words))
  if (found === undefined) throw new Error(`${guide} has no ${language} block with ${words}`)
  return found.slice(language.length + 1)
}

/** A code block of the deploy guide. */
export const block = (language: string, words = ''): string => blockOf('deploy.md', language, words)

/** False if a program is installed, else the reason to skip its test. */
export const without = (program: string): string | false =>
  spawnSync('which', [program]).status === 0 ? false : `${program} is not installed`

/** The commands that the timer of the backup guide runs, with another folder for backups. */
export const backupCommands = (backups: string): readonly string[] =>
  [...blockOf('backup.md', 'ini', 'Type=oneshot').matchAll(/^ExecStart(?:Post)?=(.+)$/gm)].map(([, line]) =>
    line!.replace('/usr/local/bin/', '').replaceAll('%%', '%').replaceAll('/var/backups/quipu', backups),
  )

export const alertsFile = join(import.meta.dirname, '../../docs/guides/deploy/alerts.yml')

/** The metrics of Quipu that expressions name. */
export const metricsIn = (text: string): readonly string[] => [
  ...new Set(
    [...text.matchAll(/^ +expr: (.+)$/gm)].flatMap(
      ([, expression]) => expression!.replaceAll(/"[^"]*"/g, '').match(/\bquipu_\w+/g) ?? [],
    ),
  ),
]
