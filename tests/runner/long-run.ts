import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Outcome } from './job.ts'
import { longCost } from './plan.ts'

/**
 * The long run in slices. Each spec is a job of its own. Its result is stored when it ends, so a run that was stopped
 * continues with the specs that have not passed on the same tree. All runs of a checkout share the results, so slices
 * may run one after the other, at the same time, or on different days.
 */
export type SpecResult = {
  readonly tree: string
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
  readonly cpuSeconds: number
}

export type Slice = { readonly number: number; readonly of: number }

/** The number of slices of a run without `--slice`. */
export const SLICES = 12

/** Reads `3/12`. */
export function parseSlice(text: string): Slice {
  const [, number, of] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  const slice = { number: Number(number), of: Number(of) }
  if (slice.number >= 1 && slice.number <= slice.of) return slice
  throw new Error(`--slice: expected a slice and the number of slices, such as 3/12, received "${text}"`)
}

/** Divides specs into slices of about the same cost. The same specs give the same slices. */
export function slicesOf(specs: readonly string[], of: number): readonly (readonly string[])[] {
  const slices = Array.from({ length: of }, () => ({ files: [] as string[], cost: 0 }))
  const byCost = [...specs].sort((left, right) => longCost(right) - longCost(left) || (left < right ? -1 : 1))
  for (const file of byCost) {
    const smallest = slices.reduce((least, slice) => (slice.cost < least.cost ? slice : least))
    smallest.files.push(file)
    smallest.cost += longCost(file)
  }
  return slices.map(({ files }) => files)
}

/** A name for the content of all files of a checkout: the tree of the commit, and a digest if files were changed. */
export function treeOf(folder: string): string {
  const git = (...options: string[]) => execFileSync('git', options, { cwd: folder, encoding: 'utf8' })
  const tree = git('rev-parse', 'HEAD^{tree}').slice(0, 10)
  const untracked = git('ls-files', '--others', '--exclude-standard').split('\n').filter(Boolean)
  const changes = git('diff', 'HEAD')
  if (changes === '' && untracked.length === 0) return tree
  const digest = createHash('sha256').update(changes)
  for (const file of untracked) digest.update(file).update(readFileSync(`${folder}/${file}`))
  return `${tree}+${digest.digest('hex').slice(0, 6)}`
}

/** The stored results of a checkout. A line is appended in one write, so runs at the same time do not mix lines. */
export class LongRunResults {
  readonly #path: string
  readonly #trees: readonly string[]

  /** Results count if they are of one of these trees; new ones are of the first. */
  constructor(path: string, trees: readonly string[]) {
    this.#path = path
    this.#trees = trees
  }

  add(file: string, { passed, failed, skipped, cpuSeconds }: Outcome, seconds: number): void {
    const result: SpecResult = { tree: this.#trees[0]!, file, passed, failed, skipped, seconds, cpuSeconds }
    appendFileSync(this.#path, `${JSON.stringify(result)}\n`)
  }

  /** The last result of each spec. */
  latest(): ReadonlyMap<string, SpecResult> {
    if (!existsSync(this.#path)) return new Map()
    const lines = readFileSync(this.#path, 'utf8').split('\n').filter(Boolean)
    const results = lines.map((line) => JSON.parse(line) as SpecResult)
    return new Map(
      results.filter(({ tree }) => this.#trees.includes(tree)).map((result) => [result.file, result]),
    )
  }

  hasPassed(file: string): boolean {
    return this.latest().get(file)?.failed === 0
  }
}

/** The table at the end: a line for each slice, then the specs that failed and the ones that have no result. */
export function longRunTable(
  slices: readonly (readonly string[])[],
  results: ReadonlyMap<string, SpecResult>,
): string {
  const rows = slices.map((files, index) => sliceRow(`${index + 1}/${slices.length}`, files, results))
  const all = slices.flat()
  const failed = all.filter((file) => (results.get(file)?.failed ?? 0) > 0)
  const missing = all.filter((file) => !results.has(file))
  const head = ['slice', 'specs', 'ended', 'passed', 'failed', 'skipped', 'CPU min', 'longest', 'tree']
  return [
    ...aligned([head, ...rows, sliceRow('all', all, results)]),
    ...failed.map((file) => `failed   ${file}`),
    ...missing.map((file) => `not run  ${file}`),
  ].join('\n')
}

function sliceRow(
  name: string,
  files: readonly string[],
  results: ReadonlyMap<string, SpecResult>,
): readonly string[] {
  const ended = files.flatMap((file) => results.get(file) ?? [])
  const sum = (field: 'passed' | 'failed' | 'skipped' | 'cpuSeconds') =>
    ended.reduce((total, result) => total + result[field], 0)
  const longest = Math.max(0, ...ended.map(({ seconds }) => seconds))
  const trees = [...new Set(ended.map(({ tree }) => tree))]
  const counts = [files.length, ended.length, sum('passed'), sum('failed'), sum('skipped')].map(String)
  const minutes = (seconds: number) => (seconds / 60).toFixed(1)
  return [name, ...counts, minutes(sum('cpuSeconds')), minutes(longest), trees.join(' ')]
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
