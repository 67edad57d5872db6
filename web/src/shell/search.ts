import { statusOf, titleOf } from '../format/orders.ts'
import { currentKeys } from '../keyboard.ts'
import { searchAssets, shortName } from '../live/assets.ts'
import { current } from '../live/current.ts'
import type { IconName } from '../parts/icon.tsx'
import { go, hrefOf } from '../router.ts'
import { screens } from '../screens.table.ts'
import { api, worldName, worlds } from '../session/selection.ts'
import { isOperator, serverUrl } from '../session/session.ts'
import { startOrder } from '../ticket/ticket-fields.ts'
import { chooseWorld } from './switches.tsx'

/** One result of the search. */
export type Found = {
  readonly id: string
  readonly group: 'Symbols' | 'Commands' | 'Orders and requests' | 'Worlds' | 'Docs'
  readonly icon: IconName
  readonly title: string
  readonly about?: string
  readonly beside?: string
  readonly run: () => void
}

/** Reports results as they come: what is in memory at once, symbols, orders and docs when they are read. */
export function search(text: string, signal: AbortSignal, report: (found: readonly Found[]) => void): void {
  const groups: Record<string, readonly Found[]> = { commands: commands(text), worlds: foundWorlds(text) }
  const order = ['symbols', 'commands', 'orders', 'worlds', 'docs']
  const publish = (): void => {
    if (!signal.aborted) report(order.flatMap((name) => groups[name] ?? []))
  }
  const later = (name: string, found: Promise<readonly Found[]>): void => {
    found.then(
      (results) => {
        groups[name] = results
        publish()
      },
      () => undefined,
    )
  }
  publish()
  if (text.trim() === '') return
  later('symbols', symbols(text, signal))
  later('orders', orders(text.trim(), signal))
  later('docs', docs(text))
}

const goTo =
  (...target: Parameters<typeof hrefOf>) =>
  () =>
    go(hrefOf(...target))

async function symbols(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const connection = api.peek()
  if (!connection) return []
  const found = await searchAssets(connection, text, 5, signal)
  const held = new Map(
    current
      .peek()
      ?.store.positions.peek()
      ?.map(({ symbol, qty }) => [symbol, qty]),
  )
  const results = found.map(
    ({ symbol, name }): Found => ({
      id: `symbol ${symbol}`,
      group: 'Symbols',
      icon: 'candles',
      title: symbol,
      about: shortName(name),
      beside: held.has(symbol) ? `you hold ${held.get(symbol)}` : '',
      run: goTo('markets', symbol),
    }),
  )
  const [first] = found
  if (first?.symbol !== text.trim().toUpperCase()) return results
  const trade = (side: 'buy' | 'sell') => (): void => {
    goTo('workspace')()
    startOrder({ symbol: first.symbol, side })
  }
  const verbs = [
    ['Buy', 'buy'],
    ['Sell', 'sell'],
  ] as const
  return [
    ...results,
    ...verbs.map(
      ([verb, side]): Found => ({
        id: `${side} ${first.symbol}`,
        group: 'Commands',
        icon: 'plus',
        title: `${verb} ${first.symbol}`,
        beside: side[0]!,
        run: trade(side),
      }),
    ),
  ]
}

function commands(text: string): readonly Found[] {
  const wanted = text.trim().toLowerCase()
  const shown = screens.filter(({ who }) => who === 'user' || isOperator.peek())
  const places = shown.map(
    ({ name, title, icon, key }): Found => ({
      id: `screen ${name}`,
      group: 'Commands',
      icon,
      title: `Go to ${title}`,
      beside: `g ${key}`,
      run: goTo(name),
    }),
  )
  const keys = currentKeys()
    .filter(({ does, key }) => !/^(Go to|Search)/.test(does) && key !== 'Escape')
    .map(
      ({ key, does, run }): Found => ({
        id: `key ${key}`,
        group: 'Commands',
        icon: 'bolt',
        title: does,
        beside: key,
        run: () => run(new KeyboardEvent('keydown')),
      }),
    )
  return [...places, ...keys]
    .filter(({ title }) => title.toLowerCase().includes(wanted))
    .slice(0, wanted ? 6 : 20)
}

const foundWorlds = (text: string): readonly Found[] =>
  (worlds.peek() ?? [])
    .filter(({ world }) => text !== '' && world.includes(text.trim()) && world !== worldName.peek())
    .slice(0, 5)
    .map(
      ({ world }): Found => ({
        id: `world ${world}`,
        group: 'Worlds',
        icon: 'globe',
        title: world,
        about: 'show this world',
        run: () => chooseWorld(world),
      }),
    )

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const REQUEST_ID = /^[0-9a-f]{32}$/i

/** Orders by id or client order id, and requests by id. */
async function orders(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const connection = api.peek()
  if (!connection || text.length < 3) return []
  if (REQUEST_ID.test(text))
    return [
      {
        id: `request ${text}`,
        group: 'Orders and requests',
        icon: 'pulse',
        title: `Request …${text.slice(-7)}`,
        run: goTo('activity', text),
      },
    ]
  const { client } = connection
  const found = UUID.test(text)
    ? await client.getOrder({ params: { order_id: text } }, { signal })
    : await client.getOrderByClientOrderId({ query: { client_order_id: text } }, { signal })
  return [
    {
      id: `order ${found.id}`,
      group: 'Orders and requests',
      icon: 'list',
      title: found.client_order_id,
      about: titleOf(found),
      beside: statusOf(found).word,
      run: goTo('orders', found.id),
    },
  ]
}

type DocsEntry = { readonly url: string; readonly title: string; readonly section?: string }
let docsIndex: Promise<readonly DocsEntry[]> | undefined

/** Titles of the documentation; its own search has the full text. */
async function docs(text: string): Promise<readonly Found[]> {
  docsIndex ??= fetch(`${serverUrl}/docs/titles.json`).then((response) =>
    response.ok ? response.json() : [],
  )
  const wanted = text.trim().toLowerCase()
  return (await docsIndex)
    .filter(({ title }) => title.toLowerCase().includes(wanted))
    .slice(0, 4)
    .map(
      ({ url, title, section = 'docs' }): Found => ({
        id: `docs ${url}`,
        group: 'Docs',
        icon: 'book',
        title,
        beside: section,
        run: () => location.assign(`${serverUrl}/docs/${url}`),
      }),
    )
}
