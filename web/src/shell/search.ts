import { computed, effect } from '@preact/signals'
import { currentKeys } from '../keyboard.ts'
import { searchAssets, shortName } from '../live/assets.ts'
import { current } from '../live/current.ts'
import type { Selected } from '../palette/sentence-values.ts'
import { go, hrefOf, symbolHref } from '../router.ts'
import { screens } from '../screens.table.ts'
import type { Connection } from '../session/connections.ts'
import { api, worldName, worlds } from '../session/selection.ts'
import { isOperator } from '../session/session.ts'
import { startOrder } from '../ticket/ticket-fields.ts'
import type { Found } from './found.ts'
import { chooseWorld } from './switches.tsx'

type Loaded = typeof import('../palette/finders.ts')
/** Loaded when the search opens for the first time. */
let loaded: Loaded | undefined
const load = async (): Promise<Loaded> => {
  loaded ??= await import('../palette/finders.ts')
  return loaded
}

/** What was read for an earlier search is read again. */
export const startSearch = (): void => {
  load().then(
    ({ forgetRecent }) => forgetRecent(),
    () => undefined,
  )
}

/** The next value of a sentence; undefined if the text is none. */
export const nextValue = (text: string, position: number, isBack: boolean): Selected | undefined =>
  loaded?.valueAfter(text, position, isBack)

/**
 * Reports results as they come: what is in memory at once, symbols, orders and docs when they are read. The worlds and
 * the account may become known after the search opens.
 */
export function search(text: string, signal: AbortSignal, report: (found: readonly Found[]) => void): void {
  const groups: Record<string, readonly Found[]> = { commands: commands(text) }
  const order = ['sentence', 'symbols', 'commands', 'orders', 'requests', 'worlds', 'operations', 'docs']
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
  const follow = (react: () => void): void => signal.addEventListener('abort', effect(react))
  follow(() => {
    groups['worlds'] = foundWorlds(text)
    publish()
  })
  if (text.trim() === '') return
  follow(() => {
    const connection = api.value
    if (connection) later('symbols', symbols(connection, text, signal))
  })
  load().then(
    ({ finders }) => {
      for (const [name, find] of Object.entries(finders)) later(name, find(text, signal))
    },
    () => undefined,
  )
}

const goTo =
  (...target: Parameters<typeof hrefOf>) =>
  () =>
    go(hrefOf(...target))

async function symbols(connection: Connection, text: string, signal: AbortSignal): Promise<readonly Found[]> {
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
      run: () => go(symbolHref(symbol)),
    }),
  )
  const [first] = found
  if (first?.symbol !== text.trim().toUpperCase()) return results
  const trade = (side: 'buy' | 'sell') => (): void => {
    go(symbolHref(first.symbol))
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

/** As one text, which does not change while clocks run. */
const worldNames = computed(() => (worlds.value ?? []).map(({ world }) => world).join(' '))

const foundWorlds = (text: string): readonly Found[] =>
  worldNames.value
    .split(' ')
    .filter((world) => text.trim() !== '' && world.includes(text.trim()) && world !== worldName.value)
    .slice(0, 5)
    .map(
      (world): Found => ({
        id: `world ${world}`,
        group: 'Worlds',
        icon: 'globe',
        title: world,
        about: 'show this world',
        run: () => chooseWorld(world),
      }),
    )
