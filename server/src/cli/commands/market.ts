import type { CallOf, OutputOf } from '@quipu/contract'
import { definedFields } from '@quipu/core/values'
import { type Command, type Context, wholeNumberIn } from '../command.ts'
import { type Column, printList, printRecord, utc } from '../output.ts'

export const assetCommands: readonly Command[] = [
  {
    name: 'asset create',
    about: 'Add a symbol, with generated price history.',
    arguments: [{ name: 'SYMBOL', about: 'Stock such as SOFI, or crypto pair such as PEPE/USD.' }],
    flags: {
      price: { placeholder: 'DOLLARS', about: 'Price today. Default: derived from the symbol.' },
      name: { placeholder: 'TEXT', about: 'Name. Default: the symbol.' },
      'not-tradable': { about: 'List the symbol, but refuse its orders.' },
      'not-fractionable': { about: 'Allow whole shares only.' },
      'not-shortable': { about: 'Do not allow short sales.' },
      'not-marginable': { about: 'Allow buying with cash only.' },
    },
    operations: ['createAsset'],
    example: 'quipu asset create SOFI --price 12',
    run: async (context) => {
      const { operator, config, args, json } = context
      const symbol = args.get('SYMBOL')!
      const without = (term: string) => (args.has(`not-${term}`) ? false : undefined)
      const body = {
        symbol,
        ...definedFields({
          price: args.get('price'),
          name: args.get('name'),
          tradable: without('tradable'),
          fractionable: without('fractionable'),
          shortable: without('shortable'),
          marginable: without('marginable'),
        }),
      }
      const asset = await operator().createAsset({ params: { world: config.world }, body })
      const { id, name, exchange, class: kind } = asset
      return printRecord(context, json ? asset : { symbol, name, class: kind, exchange, id })
    },
  },
]

type Body = CallOf<'createMarketEvent'>['body']
type MarketEvent = OutputOf<'listMarketEvents'>[number]

const time = (about: string) => ({ placeholder: 'TIME', about })

export const marketEventCommands: readonly Command[] = [
  {
    name: 'market-event list',
    about: 'List the market events of a world: halts, crashes, gaps and the like.',
    operations: ['listMarketEvents'],
    example: 'quipu market-event list --world friday',
    run: async (context) => {
      const events = await context.operator().listMarketEvents({ params: { world: context.config.world } })
      return printList(context, events, eventTable, 'no market events')
    },
  },
  {
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
      minutes: { placeholder: 'N', about: 'Length. Default: 5 for a pause, 10 for a crash.' },
      direction: {
        placeholder: 'up|down',
        about: 'Side on which a pause leaves its price band. Default: down.',
      },
      percent: { placeholder: 'N', about: 'Percent of a gap (negative: down) or of a pause (default: 5).' },
      depth: { placeholder: 'N', about: 'Fall of a crash, from 0.01 to 0.9: 0.2 is 20 %.' },
      'no-recovery': { about: 'The price stays down after a crash. Default: it recovers.' },
      times: { placeholder: 'N', about: 'How many times as wide spreads are in a thin market.' },
      share: { placeholder: 'N', about: 'Share of minutes or trades, between 0 and 1.' },
    },
    operations: ['createMarketEvent', 'getWorldClock'],
    example: 'quipu market-event create halt AAPL --from 5m --to 15m',
    run: async (context) => {
      const { operator, config } = context
      const body = await newEvent(context)
      return printRecord(
        context,
        await operator().createMarketEvent({ params: { world: config.world }, body }),
      )
    },
  },
]

/** The server checks which fields a kind needs. */
async function newEvent(context: Context): Promise<Body> {
  const { args } = context
  return {
    kind: args.get('KIND') as Body['kind'],
    ...definedFields({
      symbol: args.get('SYMBOL'),
      from: await instantOf(context, 'from'),
      to: await instantOf(context, 'to'),
      at: await instantOf(context, 'at'),
      on: args.get('on'),
      reason: args.get('reason') as Body['reason'],
      minutes: wholeNumberIn(context, 'minutes'),
      limit: args.get('direction') as Body['limit'],
      percent: args.get('percent'),
      depth: args.get('depth'),
      recovers: args.has('no-recovery') ? false : undefined,
      times: args.get('times'),
      share: args.get('share'),
    }),
  }
}

const DURATION = /^(?:\d{1,6}[smhd])+$/
const secondsPer: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `10m` is ten minutes from now, by the clock of the world. */
async function instantOf({ operator, config, args }: Context, flag: string): Promise<string | undefined> {
  const text = args.get(flag)
  if (text === undefined || !DURATION.test(text)) return text
  const { now } = await operator().getWorldClock({ params: { world: config.world } })
  const parts = [...text.matchAll(/(\d+)([smhd])/g)]
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * secondsPer[unit!]!, 0)
  return new Date(Date.parse(now) + seconds * 1000).toISOString()
}

const eventTable: readonly Column<MarketEvent>[] = [
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
