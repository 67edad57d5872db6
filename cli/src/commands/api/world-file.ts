import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { definedFields, entryIn, errorCode } from '@quipu/core/values'
import { type CliCommand, type CommandContext, CommandFailed } from '../command.ts'
import { counted, printRecord, printText } from '../output.ts'
import { withProgress } from '../progress.ts'

export const worldFileCommands: readonly CliCommand[] = [
  {
    name: 'world save',
    about:
      'Save a world as one file that another machine can load: journal, settings, clock and imported data. ' +
      'The file has no keys, passwords or tokens. It does have account details and order history.',
    arguments: [
      { name: 'NAME', about: 'Name of the world.' },
      { name: 'FILE', about: 'File to write. Default: NAME.quipu.', optional: true },
    ],
    operations: ['saveWorld'],
    example: 'quipu world save friday friday.quipu',
    run: (context) => {
      const world = entryIn(context.args, 'NAME')
      return save(context, world, context.args.get('FILE') ?? `${world}.quipu`, {})
    },
  },
  {
    name: 'world load',
    about: 'Create a world from a file of `quipu world save` or `quipu bundle`, and show its new keys.',
    arguments: [
      { name: 'FILE', about: 'File to load.' },
      { name: 'NAME', about: 'Name of the new world. Default: a generated name.', optional: true },
    ],
    flags: { durable: { about: 'Keep the world across restarts of the server.' } },
    operations: ['loadWorld'],
    example: 'quipu world load friday.quipu friday-2',
    run: load,
  },
]

export const bundleCommand: CliCommand = {
  name: 'bundle',
  about:
    'Save a bug report as one file: the account of an order or a request with its history, the explanation, the market, and ' +
    'the versions. It has no other account, and identities are replaced. `quipu world load` opens it.',
  arguments: [
    { name: 'ID', about: 'Id of an order, of a request (header X-Request-ID) or of an account.' },
    { name: 'FILE', about: 'File to write. Default: bundle-ID.quipu.', optional: true },
  ],
  flags: {
    'whole-world': { about: 'Save all accounts of the world, with the identities of their owners.' },
  },
  operations: ['saveWorld'],
  example: 'quipu bundle 61e69015-8549-4bfd-b9c3-01e75843f47d --world friday',
  run: (context) => {
    const id = entryIn(context.args, 'ID')
    const file = context.args.get('FILE') ?? `bundle-${id.replaceAll(/[^\w-]/g, '')}.quipu`
    const whole = context.args.has('whole-world')
    return save(context, context.config.world, file, { report: id, ...(whole && { whole_world: true }) })
  },
}

type WorldFileQuery = { readonly report?: string; readonly whole_world?: boolean }

async function save(context: CommandContext, world: string, file: string, query: WorldFileQuery): Promise<0> {
  const path = resolve(file)
  const work = context.operator().saveWorld({ params: { world }, query })
  const bytes = await withProgress(context, (seconds) => `saving ${world} … ${seconds} s`, work)
  try {
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const isTaken = errorCode(error) === 'EEXIST'
    throw new CommandFailed(
      isTaken ? `${path} already exists; choose a new file` : `${path} cannot be written: ${error}`,
    )
  }
  const { seq, hash } = firstLineOf(bytes)
  const record = { world, file: path, bytes: bytes.length, seq, hash }
  return printText(
    context,
    record,
    `${path}: ${counted(Number(seq), 'event')}, ${sizeOf(bytes.length)}, hash ${hash}`,
  )
}

async function load(context: CommandContext): Promise<0> {
  const { args, operator, note } = context
  const path = resolve(entryIn(args, 'FILE'))
  const bytes = await readFile(path).catch((error) => {
    throw new CommandFailed(`${path} cannot be read: ${error instanceof Error ? error.message : error}`)
  })
  note(`loading ${path} (${sizeOf(bytes.length)}) …`)
  const query = definedFields({ world: args.get('NAME'), durable: args.has('durable') || undefined })
  const work = operator().loadWorld({ query, body: bytes })
  const created = await withProgress(context, (seconds) => `loading … ${seconds} s`, work)
  const report = reportOf(bytes)
  if (report) note(`a bug report: quipu order explain ${report} --world ${created.world}`)
  return printRecord(context, created)
}

/** The first line of a world file, which the server has checked. */
function firstLineOf(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(bytes.subarray(0, bytes.indexOf(0x0a))).toString())
}

type Report = { readonly id: string; readonly explanation?: object }

/** The order or request that a bug report explains; undefined for other files. */
function reportOf(bytes: Buffer): string | undefined {
  const start = bytes.indexOf(0x0a) + 1
  const end = bytes.indexOf(0x0a, start)
  if (!bytes.toString('latin1', start, start + 16).startsWith('{"part":"report"')) return undefined
  const line = JSON.parse(bytes.toString('utf8', start, end)) as { readonly bytes: number }
  const report = JSON.parse(bytes.toString('utf8', end + 1, end + 1 + line.bytes)) as Report
  return report.explanation && report.id
}

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
