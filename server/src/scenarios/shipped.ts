import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ScenarioFile } from './scenario-file.ts'

/** In a checkout, in the root of the repository; in a package, beside the bundled modules. */
const folder = fileURLToPath(
  new URL(extname(import.meta.url) === '.ts' ? '../../../scenarios' : './scenarios', import.meta.url),
)

const ENDING = '.yml'

/** The names of the scenarios that ship with the server, sorted. */
export const shippedNames = (): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort()

/** A scenario that ships with the server; undefined for any other name. */
export async function shippedScenario(name: string): Promise<ScenarioFile | undefined> {
  if (!shippedNames().includes(name)) return undefined
  const { parseScenario } = await import('./parse.ts')
  const path = join(folder, `${name}${ENDING}`)
  return parseScenario(readFileSync(path, 'utf8'), path)
}
