import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type * as lockStep from './program/lock-step.ts'
import type * as officialHosts from './program/official-hosts.ts'
import type * as worldTime from './program/world-time.ts'

/** The parts that run inside a Node program. Each is bundled into one script without imports, for Node 18 and newer. */
type PreloadParts = {
  readonly 'official-hosts': typeof officialHosts
  readonly 'world-time': typeof worldTime
  readonly 'lock-step': typeof lockStep
}
type Part = keyof PreloadParts

/** CommonJS that starts a part with its settings. Node loads it before the program. */
export async function preloadText<Name extends Part>(
  part: Name,
  settings: Parameters<PreloadParts[Name]['start']>[0],
): Promise<string> {
  return `;(() => {${await bundled(part)}part.start(${JSON.stringify(settings)})})()\n`
}

/** The package contains the scripts. A checkout makes them when they are needed, in 20 ms. */
async function bundled(part: Part): Promise<string> {
  if (extname(import.meta.url) !== '.ts')
    return readFileSync(new URL(`./program/${part}.cjs`, import.meta.url), 'utf8')
  const { bundleProgram } = await import(new URL('../../build.ts', import.meta.url).href)
  return bundleProgram(part)
}
