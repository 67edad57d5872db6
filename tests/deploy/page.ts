import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guides', 'deploy.md'), 'utf8')

/** A code block of the page: the first in this language that has these words. */
export function block(language: string, words = ''): string {
  const blocks = page
    .split('```')
    .filter((text, index) => index % 2 === 1 && text.startsWith(`${language}\n`))
  const found = blocks.find((text) => text.includes(words))
  if (found === undefined) throw new Error(`deploy.md has no ${language} block with ${words}`)
  return found.slice(language.length + 1)
}

/** False if a program is installed, else the reason to skip its test. */
export const without = (program: string): string | false =>
  spawnSync('which', [program]).status === 0 ? false : `${program} is not installed`
