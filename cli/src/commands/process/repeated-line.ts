import { shellWord } from '@quipu/server/doctor/shell-word.ts'

const REPEAT_MAX = 4000

/** Flags that say where results go, or which seeds to run. */
const droppedFlags = ['--seeds', '--parallel', '--seed', '--summary', '--report', '--runs', '--record']

/** The command line for one seed: the same without the flags of many seeds and of results. */
export function lineFor(line: readonly string[], seed: string): readonly string[] {
  return withFlags(line, droppedFlags, ['--seed', seed])
}

/** The command that runs only this drill. */
export const onlyText = (line: readonly string[], drill: string): string =>
  withFlags(line, ['--only', '--summary', '--report', '--runs'], ['--only', drill]).map(shellWord).join(' ')

function withFlags(
  line: readonly string[],
  dropped: readonly string[],
  added: readonly string[],
): readonly string[] {
  const dashes = line.indexOf('--')
  const flags: string[] = []
  for (let index = 0; index < dashes; index++) {
    const word = line[index]!
    if (dropped.includes(word)) index += 1
    else if (!dropped.some((flag) => word.startsWith(`${flag}=`))) flags.push(word)
  }
  return ['quipu', ...flags, ...added, ...line.slice(dashes)]
}

/** The command that repeats a run with its seed, from a line without keys; undefined if it is too long to show. */
export const repeatText = (line: readonly string[], seed: string): string | undefined =>
  shortText(lineFor(line, seed).map(shellWord).join(' '))

/** The same for one of many seeds. */
export const repeatSeedText = (line: readonly string[], seed: string): string | undefined =>
  shortText(commandFor(line, seed))

const shortText = (text: string): string | undefined => (text.length > REPEAT_MAX ? undefined : text)

/** A world of its own begins with the run of its seed. */
export function commandFor(line: readonly string[], seed: string): string {
  const [quipu, ...words] = lineFor(line, seed)
  const isReplay = line.slice(0, line.indexOf('--')).some((word) => /^--from(=|$)/.test(word))
  const world = isReplay ? [] : ['--world', `seed-${seed}`]
  const dashes = words.indexOf('--')
  return [quipu!, ...words.slice(0, dashes), ...world, ...words.slice(dashes)].map(shellWord).join(' ')
}
