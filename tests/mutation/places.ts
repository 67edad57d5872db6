import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../random.ts'

/** A change of one place in the code that a test should notice. */
export type Mutation = {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly before: string
  readonly after: string
}

/** What is replaced by what, inside one line of code. */
const changes: readonly (readonly [RegExp, string])[] = [
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < (?=[\w.(#-])/g, ' <= '],
  [/ > (?=[\w.(#-])/g, ' >= '],
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \+= /g, ' -= '],
  [/ -= /g, ' += '],
  [/'up'/g, "'down'"],
  [/'down'/g, "'up'"],
  [/Math\.max\(/g, 'Math.min('],
  [/Math\.min\(/g, 'Math.max('],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/if \(!/g, 'if ('],
  [/(?<=[ (,])0n\b/g, '1n'],
  [/(?<=[ (,])1n\b/g, '0n'],
]

/** A whole line that only calls something: the call is left out. */
const CALL = /^\s+(?:await |void )?(?:this[.#\w]*|[\w.#?]+)\((?:[^{}]*)\)$/

/** Product code of the core and the server: no tests, no tables of data, no types. */
export function sources(root: string): readonly string[] {
  return globSync(['core/src/**/*.ts', 'server/src/**/*.ts'], { cwd: root })
    .filter(
      (file) => !/(\.spec|\.child|\.table|-suite|testing|test-\w+|story[\w-]*)\.ts$|\/testing\//.test(file),
    )
    .sort()
}

/** Places all over the code, as the seed decides. */
export function chosen(root: string, seed: string, count: number): readonly Mutation[] {
  const random = new Random(seed, 'mutations')
  const files = sources(root).map((file) => [file, mutationsOf(root, file)] as const)
  const all = files.flatMap(([, found]) => found)
  const taken = new Set<Mutation>()
  while (taken.size < Math.min(count, all.length)) taken.add(random.pick(all)!)
  return [...taken]
}

function mutationsOf(root: string, file: string): readonly Mutation[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((text, at) =>
    changed(text).map((after) => ({ file, line: at + 1, before: text, after })),
  )
}

function changed(line: string): readonly string[] {
  if (
    /^\s*(\/\/|\/?\*|import |export \*|export type|type |readonly |\| )/.test(line) ||
    /(throw|log\.|warn\()/.test(line)
  )
    return []
  const replaced = changes.flatMap(([from, to]) =>
    [...line.matchAll(from)].map(
      ({ index, 0: { length } }) => line.slice(0, index) + to + line.slice(index + length),
    ),
  )
  return CALL.test(line) ? [...replaced, ''] : replaced
}
