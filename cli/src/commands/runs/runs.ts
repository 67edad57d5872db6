import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { entryIn, errorCode } from '@quipu/core/values'
import { type CliCommand, type CommandContext, CommandFailed } from '../command.ts'
import { printList, printText } from '../output.ts'
import { readBytes } from './listed-run.ts'
import { groupNamed, runBytesNamed, runFileNamed, runNamed, withRuns } from './run-source.ts'

const run = { name: 'RUN', about: 'Number, id or beginning of the id of a run, or a run file.' } as const
const stored = { name: 'RUN', about: 'Number, id or beginning of the id of a run.' } as const
const where = 'Without --url and --data: of the folder of run files.'
const common = { usesDataFolder: true, alsoSettings: ['runs'] } as const

export const runsCommands: readonly CliCommand[] = [
  {
    ...common,
    name: 'runs list',
    operations: ['listRuns'],
    about: `List runs, newest first. The seeds of one command are one row with the median. ${where}`,
    example: 'quipu runs list',
    run: (context) =>
      withRuns(context, async (source) => {
        const { runRowsOf, runTable } = await import('./run-lines.ts')
        const runs = await source.list()
        if (context.json) return printText(context, runs)
        return printList(context, runRowsOf(runs), runTable, 'no runs')
      }),
  },
  {
    ...common,
    name: 'runs show',
    operations: ['listRuns', 'getRunFile'],
    about: `Show a run with its trades and drills, or the seeds of one command with the distribution of their results. ${where}`,
    arguments: [
      {
        name: 'RUN',
        about: 'Number, id or beginning of the id of a run, a run file, or the id of a group of seeds.',
      },
    ],
    example: 'quipu runs show 128',
    run: async (context) => {
      const { groupLines, groupRecord, runLines } = await import('./run-lines.ts')
      const name = entryIn(context.args, 'RUN')
      const seeds = await groupNamed(context, name)
      const group = seeds[0]?.group
      if (group !== undefined)
        return printText(context, groupRecord(group, seeds), ...groupLines(seeds, context.width))
      const file = await runFileNamed(context, name)
      return printText(context, file, ...runLines(file))
    },
  },
  {
    ...common,
    name: 'runs compare',
    about: `Show the results of two runs beside each other. ${where}`,
    arguments: [
      { ...run, name: 'A' },
      { ...run, name: 'B' },
    ],
    example: 'quipu runs compare 127 128',
    run: async (context) => {
      const { comparedLines } = await import('./run-lines.ts')
      const [a, b] = [
        await runFileNamed(context, entryIn(context.args, 'A')),
        await runFileNamed(context, entryIn(context.args, 'B')),
      ]
      return printText(context, [a.run, b.run], ...comparedLines(a, b, context.width))
    },
  },
  {
    ...common,
    name: 'runs export',
    operations: ['getRunFile'],
    about: `Write a run to a file to share: a run file, or with --html one page that opens without a network. ${where}`,
    arguments: [
      run,
      { name: 'FILE', about: 'File to write. Default: run-ID.quipu-run or .html.', optional: true },
    ],
    flags: { html: { about: 'Write a page for a browser, without scripts and without other files.' } },
    example: 'quipu runs export 128 --html',
    run: exportRun,
  },
  {
    ...common,
    name: 'runs import',
    operations: ['storeRun'],
    about: 'Store a run file in the folder of run files, or with --url or --data on the server.',
    arguments: [{ name: 'FILE', about: 'Run file.' }],
    example: 'quipu runs import run-128.quipu-run',
    run: (context) =>
      withRuns(context, async (source) => {
        const path = resolve(entryIn(context.args, 'FILE'))
        const bytes = await readFile(path).catch((error) => {
          throw new CommandFailed(`${path} cannot be read: ${error instanceof Error ? error.message : error}`)
        })
        const added = await source.add(bytes)
        const { id, number, file } = added
        const place = number === undefined ? file : `run ${number}`
        return printText(context, added, `${id} is stored: ${place}`)
      }),
  },
  {
    ...common,
    name: 'runs pin',
    about: 'Keep a run on the server, also when older runs are deleted to make space. Needs --url or --data.',
    arguments: [stored],
    operations: ['pinRun'],
    example: 'quipu runs pin 128',
    run: (context) => pinRun(context, true),
  },
  {
    ...common,
    name: 'runs unpin',
    about: 'Let the server delete a run when it is the oldest and space is needed. Needs --url or --data.',
    arguments: [stored],
    operations: ['pinRun'],
    example: 'quipu runs unpin 128',
    run: (context) => pinRun(context, false),
  },
  {
    ...common,
    name: 'runs delete',
    operations: ['deleteRun'],
    about: `Delete a run and its file. ${where}`,
    arguments: [stored],
    example: 'quipu runs delete 128',
    run: (context) =>
      withRuns(context, async (source) => {
        const found = await runNamed(source, entryIn(context.args, 'RUN'))
        await source.delete(found)
        return printText(context, { run: found.id, deleted: true }, `${found.id} is deleted`)
      }),
  },
]

const pinRun = (context: CommandContext, isPinned: boolean): Promise<0> =>
  withRuns(context, async (source) => {
    const found = await source.pin(await runNamed(source, entryIn(context.args, 'RUN')), isPinned)
    return printText(context, found, `${found.id} is ${isPinned ? 'pinned' : 'not pinned'}`)
  })

async function exportRun(context: CommandContext): Promise<0> {
  const { args } = context
  const bytes = await runBytesNamed(context, entryIn(args, 'RUN'))
  const file = await readBytes(bytes, entryIn(args, 'RUN'))
  const isPage = args.has('html')
  const { runPage } = await import('@quipu/sdk/runs')
  const name = args.get('FILE') ?? `run-${file.run.id.slice(0, 8)}.${isPage ? 'html' : 'quipu-run'}`
  const path = resolve(name)
  await writeFile(path, isPage ? runPage(file) : bytes, { flag: 'wx', mode: 0o600 }).catch(
    (error: unknown) => {
      const isTaken = errorCode(error) === 'EEXIST'
      throw new CommandFailed(
        isTaken ? `${path} already exists; choose a new file` : `${path} cannot be written: ${error}`,
      )
    },
  )
  return printText(context, { run: file.run.id, file: path }, `${path} is written`)
}
