import type { OutputOf } from '@quipu/contract'
import { calling } from '../call.ts'
import type { CliCommand, CommandContext } from '../command.ts'
import { type Column, printList, printRecord, printText, utc } from '../output.ts'
import { wholeNumberValue } from '../values.ts'

const without = <Term extends string>(field: Term, about: string) => ({ about, field, value: () => false })

export const assetCommands: readonly CliCommand[] = [
  calling('createAsset', {
    name: 'asset create',
    about: 'Add a symbol, with generated price history.',
    arguments: [{ name: 'SYMBOL', about: 'Stock such as SOFI, or crypto pair such as PEPE/USD.' }],
    flags: {
      price: { placeholder: 'DOLLARS', about: 'Price today. Default: derived from the symbol.' },
      name: { placeholder: 'TEXT', about: 'Name. Default: the symbol.' },
      'not-tradable': without('tradable', 'List the symbol, but refuse its orders.'),
      'not-fractionable': without('fractionable', 'Allow whole shares only.'),
      'not-shortable': without('shortable', 'Do not allow short sales.'),
      'not-marginable': without('marginable', 'Allow buying with cash only.'),
    },
    example: 'quipu asset create SOFI --price 12',
    print: (context, asset) => {
      const { id, name, exchange, class: kind } = asset
      const symbol = context.args.get('SYMBOL')
      return printRecord(context, context.json ? asset : { symbol, name, class: kind, exchange, id })
    },
  }),
]

type MarketEvent = OutputOf<'listMarketEvents'>[number]

const time = (about: string) => ({ placeholder: 'TIME', about, value: instantOf })

export const marketEventCommands: readonly CliCommand[] = [
  calling('listMarketEvents', {
    name: 'market-event list',
    about: 'List the market events of a world: halts, crashes, gaps and the like.',
    example: 'quipu market-event list --world friday',
    print: (context, events) => printList(context, events, eventTable, 'no market events'),
  }),
  // The server checks which fields a kind needs.
  calling('createMarketEvent', {
    name: 'market-event create',
    about:
      'Create a market event: something that happens to the market of a world from now on. A TIME is an instant ' +
      '(2026-11-02T15:00:00Z) or a duration from now on the clock of the world (10m). Events start two minutes ahead or later.',
    arguments: [
      {
        name: 'KIND',
        about:
          'halt (--from, --to), pause (--at), crash (--at, --depth), gap (--on, --percent), thin (--times), ' +
          'missing, late or mistakes (--share).',
      },
      {
        name: 'SYMBOL',
        about: 'Symbol. Default: every stock. halt and pause need one.',
        optional: true,
      },
    ],
    flags: {
      from: time('Start. Default for thin, missing, late and mistakes: now.'),
      to: time('End. Default for thin, missing, late and mistakes: never.'),
      at: time('Time of a pause or a crash.'),
      on: { placeholder: 'DATE', about: 'Trading day of a gap.' },
      reason: { placeholder: 'WORD', about: 'Reason of a halt. Default: news_pending.' },
      minutes: {
        placeholder: 'N',
        about: 'Length. Default: 5 for a pause, 10 for a crash.',
        value: wholeNumberValue,
      },
      direction: {
        placeholder: 'up|down',
        about: 'Side on which a pause leaves its price band. Default: down.',
        field: 'limit',
      },
      percent: { placeholder: 'N', about: 'Percent of a gap (negative: down) or of a pause (default: 5).' },
      depth: { placeholder: 'N', about: 'Fall of a crash, from 0.01 to 0.9: 0.2 is 20 %.' },
      'no-recovery': without('recovers', 'The price stays down after a crash. Default: it recovers.'),
      times: { placeholder: 'N', about: 'How many times as wide spreads are in a thin market.' },
      share: { placeholder: 'N', about: 'Share of minutes or trades, between 0 and 1.' },
    },
    alsoCalls: ['getWorldClock'],
    example: 'quipu market-event create halt AAPL --from 5m --to 15m',
  }),
  calling('deleteMarketEvent', {
    name: 'market-event delete',
    about: 'Remove a market event. It must begin more than a minute from now.',
    arguments: [{ name: 'ID', about: 'Id of the event: quipu market-event list.', field: 'event_id' }],
    example: 'quipu market-event delete 1 --world friday',
    print: (context) => {
      const id = context.args.get('ID')
      return printText(context, { id, deleted: true }, `market event ${id} is removed`)
    },
  }),
]

const DURATION = /^(?:\d{1,6}[smhd])+$/
const secondsPer: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `10m` is ten minutes from now, by the clock of the world. */
async function instantOf(text: string, _flag: string, { operator, config }: CommandContext): Promise<string> {
  if (!DURATION.test(text)) return text
  const { now } = await operator().getWorldClock({ params: { world: config.world } })
  const parts = [...text.matchAll(/(\d+)([smhd])/g)]
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * secondsPer[unit!]!, 0)
  return new Date(Date.parse(now) + seconds * 1000).toISOString()
}

const eventTable: readonly Column<MarketEvent>[] = [
  ['ID', ({ id }) => id],
  ['STATUS', ({ status }) => status],
  ['KIND', ({ kind }) => kind],
  ['SYMBOL', ({ symbol }) => symbol ?? 'every stock'],
  ['FROM (UTC)', ({ from, at, on }) => utc(from ?? at) ?? on],
  ['TO (UTC)', ({ to }) => utc(to)],
  ['TERMS', termsOf, 12],
]

function termsOf({ reason, minutes, limit, percent, depth, recovers, times, share }: MarketEvent): string {
  const terms = [
    reason,
    limit,
    percent !== undefined && `${percent} %`,
    depth !== undefined && `down ${Number((depth * 100).toFixed(2))} %`,
    minutes !== undefined && `${minutes} min`,
    recovers === false && 'no recovery',
    times !== undefined && `spreads x ${times}`,
    share !== undefined && `share ${share}`,
  ]
  return terms.filter(Boolean).join(', ')
}
