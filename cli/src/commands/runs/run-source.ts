import { existsSync } from 'node:fs'
import type { RunFile } from '@quipu/sdk/runs'
import { type CommandContext, CommandFailed } from '../command.ts'
import { type ListedRun, type RunSource, readBytes } from './listed-run.ts'

/** The server of --url or --data, otherwise the folder of --runs. */
export async function withRuns<Result>(
  context: CommandContext,
  use: (source: RunSource) => Promise<Result>,
): Promise<Result> {
  const { config, sources } = context
  const isLocal = sources.url.source === 'default' && sources.data.source === 'default'
  if (isLocal && config.runs.kind === 'off')
    throw new CommandFailed('runs are off: set --runs FOLDER, or --url or --data for those of a server')
  const source =
    isLocal && config.runs.kind === 'folder'
      ? (await import('./folder-runs.ts')).folderRuns(config.runs.path)
      : await (await import('./server-runs.ts')).serverRuns(context)
  return use(source).finally(() => source.close())
}

/** A run by its number, its id, or the beginning of its id. */
export async function runNamed(source: RunSource, name: string): Promise<ListedRun> {
  const runs = await source.list()
  const found = runs.filter(({ id, number }) => String(number) === name || id.startsWith(name.toLowerCase()))
  if (found.length === 1) return found[0]!
  throw new CommandFailed(
    found.length === 0
      ? `no run ${name}; \`quipu runs list\` lists all`
      : `${name} is the beginning of ${found.length} runs; use more of the id`,
  )
}

/** The runs of the group whose id begins with a name; none if it is the name of a run, of a file or of more than one group. */
export async function groupNamed(context: CommandContext, name: string): Promise<readonly ListedRun[]> {
  if (existsSync(name)) return []
  const runs = await withRuns(context, (source) => source.list())
  if (runs.some(({ id, number }) => String(number) === name || id.startsWith(name.toLowerCase()))) return []
  const seeds = runs.filter(({ group }) => group?.startsWith(name.toLowerCase()))
  return new Set(seeds.map(({ group }) => group)).size === 1 ? seeds : []
}

/** The file of a run, which a path or a name selects. */
export async function runFileNamed(context: CommandContext, name: string): Promise<RunFile> {
  return readBytes(await runBytesNamed(context, name), name)
}

/** The bytes of the file of a run, which a path or a name selects. */
export async function runBytesNamed(context: CommandContext, name: string): Promise<Uint8Array> {
  if (existsSync(name)) return (await import('node:fs/promises')).readFile(name)
  return withRuns(context, async (source) => source.bytes(await runNamed(source, name)))
}
