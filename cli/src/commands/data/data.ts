import { join, resolve } from 'node:path'
import { openFolder } from '@quipu/broker/data-folder/folder.ts'
import { refuseLinks } from '@quipu/broker/data-folder/keep-owner.ts'
import type { OutputOf } from '@quipu/contract'
import { definedFields, entryIn, formatInstant } from '@quipu/core/values'
import type { Config } from '@quipu/server/config/config.ts'
import { calling } from '../call.ts'
import { type CliCommand, type CommandContext, CommandFailed } from '../command.ts'
import { isServed, localFolder } from '../find-server.ts'
import { type Column, printList, printText, tableLines, utc } from '../output.ts'

type Listed = OutputOf<'listData'>[number]

// Loaded on demand, so that other commands start faster.
const loaded = () => import('@quipu/broker/market/store/index.ts')

export const dataCommands: readonly CliCommand[] = [
  {
    name: 'data list',
    about: 'List imported data and the worlds that use it, whether a server is running or not.',
    operations: ['listData'],
    example: 'quipu data list',
    run: async (context) => {
      const { config, operator } = context
      return shown(context, isServed(config) ? await operator().listData() : await listStored(context))
    },
  },
  calling('useData', {
    name: 'data use',
    about:
      'Use imported data in the market of a world from now on. The prices of these symbols change at once; ' +
      'the journal records it.',
    arguments: [
      {
        name: 'SYMBOL',
        about: 'All imported series of these symbols.',
        many: true,
        field: 'symbols',
        value: (words) => words.split('\n'),
      },
    ],
    example: 'quipu data use AAPL MSFT --world main',
    print: (context, used) => {
      const table = tableLines(used, usedTable, context.width)
      return printText(context, used, `${context.config.world} uses:`, ...table)
    },
  }),
  {
    name: 'data delete',
    about: 'Delete imported data that no world uses, whether a server is running or not.',
    arguments: [{ name: 'SYMBOL', about: 'The symbol.' }],
    flags: {
      kind: { placeholder: 'KIND', about: 'bars, trades or quotes; all kinds by default.' },
      frame: { placeholder: 'FRAME', about: 'Bars of this frame, such as 1Min; all frames by default.' },
    },
    operations: ['deleteData'],
    example: 'quipu data delete AAPL --kind bars --frame 1Min',
    run: async (context) => {
      const { args, config, operator } = context
      const wanted = {
        symbol: entryIn(args, 'SYMBOL'),
        ...definedFields({ kind: args.get('kind') as Listed['kind'] | undefined, frame: args.get('frame') }),
      }
      const deleted = isServed(config)
        ? await operator().deleteData({ query: wanted })
        : await deleteStored(context, wanted)
      return shown(context, deleted)
    },
  },
]

async function listStored({ config }: CommandContext): Promise<readonly Listed[]> {
  const { openStore, readPins, seriesName } = await loaded()
  const store = openStore(marketFolder(config))
  // Only `main` exists without a server.
  const used = new Set(readPins(store.folder, 'main').map(seriesName))
  return store.list().map(({ record, symbol, kind, frame, rows, bytes, first, last }) => ({
    symbol,
    kind,
    frame,
    rows,
    bytes,
    first: formatInstant(first),
    last: formatInstant(last),
    worlds: used.has(seriesName(record)) ? ['main'] : [],
  }))
}

/** Locks the data folder meanwhile, so that no server starts. */
async function deleteStored(
  context: CommandContext,
  wanted: Pick<Listed, 'symbol'> & Partial<Pick<Listed, 'kind' | 'frame'>>,
): Promise<readonly Listed[]> {
  const { release } = await openFolder(dataFolder(context.config))
  try {
    const { openStore } = await loaded()
    const { symbol, kind, frame } = wanted
    const found = (await listStored(context)).filter(
      (one) =>
        one.symbol === symbol &&
        (kind === undefined || one.kind === kind) &&
        (frame === undefined || one.frame === frame),
    )
    if (found.length === 0) throw new CommandFailed(`no imported data of ${symbol}: see \`quipu data list\``)
    const used = found.find(({ worlds }) => worlds.length > 0)
    if (used) throw new CommandFailed(`${nameOf(used)} is used by world main, which keeps the data it uses`)
    const writer = openStore(marketFolder(context.config)).write()
    for (const one of found) writer.remove(one)
    writer.commit()
    return found
  } finally {
    release()
  }
}

const shown = (context: CommandContext, all: readonly Listed[]): 0 =>
  printList(context, all, seriesTable, 'no imported data; `quipu import FILE` imports some')

function nameOf({ kind, frame, symbol }: Pick<Listed, 'kind' | 'frame' | 'symbol'>): string {
  return [kind, frame, symbol].filter(Boolean).join(' ')
}

const seriesTable: readonly Column<Listed>[] = [
  ['SERIES', nameOf],
  ['ROWS', ({ rows }) => rows, 'right'],
  ['FIRST (UTC)', ({ first }) => utc(first)?.slice(0, 16)],
  ['LAST (UTC)', ({ last }) => utc(last)?.slice(0, 16)],
  ['WORLDS', ({ worlds }) => worlds.join(', ') || 'none', 10],
]

const usedTable: readonly Column<OutputOf<'useData'>[number]>[] = [
  ['SERIES', nameOf],
  ['ROWS', ({ rows }) => rows, 'right'],
  ['DIGEST', ({ digest }) => digest.slice(0, 12)],
]

/** The folder of imported data. A server that runs on the data folder sees new imports. */
export const marketFolder = (config: Config): string => join(dataFolder(config), 'market')

export function dataFolder(config: Config): string {
  const folder = resolve(localFolder(config, 'this command'))
  refuseLinks(folder)
  return folder
}
