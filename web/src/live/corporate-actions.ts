import { computed, effect, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { quantityText } from '../format/amounts.ts'
import { newYorkMs } from '../format/times.ts'
import type { ChartEvent } from '../parts/chart-frame.ts'
import { operator } from '../session/connections.ts'
import { world } from '../session/selection.ts'

export type CorporateAction = Output<'listCorporateActions'>[number]

/** The corporate actions of the world on screen, past and scheduled. */
export const worldActions = signal<readonly CorporateAction[]>([])

/** Reads the actions again when the server reports a change of the world: a new or a canceled action is one. */
export function followActions(): void {
  let name: string | undefined
  effect(() => {
    const shown = world.value
    if (shown?.world !== name) worldActions.value = []
    name = shown?.world
    if (shown === undefined) return
    const params = { world: shown.world }
    operator()
      .client.listCorporateActions({ params })
      .then(
        (read) => {
          if (world.peek() === shown) worldActions.value = read
        },
        () => undefined,
      )
  })
}

/** `KO dividend 0.51`, `AAPL split 4 for 1` */
export function actionTitle({ type, symbol, rate, new_rate, old_rate, new_symbol }: CorporateAction): string {
  const number = (value: string | undefined) => quantityText(value ?? '0')
  switch (type) {
    case 'cash_dividend':
      return `${symbol} dividend ${number(rate)}`
    case 'name_change':
      return `${symbol} becomes ${new_symbol}`
    case 'delisting':
      return `${symbol} delisting`
    case 'forward_split':
    case 'reverse_split':
      return `${symbol} split ${number(new_rate)} for ${number(old_rate)}`
  }
}

/** An action takes effect at the start of its day; the session shows it at the open. */
export const actionMs = ({ ex_date: day }: CorporateAction): number => newYorkMs(day, '09:30')

/** The corporate actions for charts and the time bar. */
export const actionEvents = computed<readonly ChartEvent[]>(() =>
  worldActions.value.map((action) => ({ label: actionTitle(action), fromMs: actionMs(action) })),
)

/** The first name of a symbol: events are compared under it, because an event keeps the name that it was created with. */
export function firstNameOf(symbol: string, actions: readonly CorporateAction[]): string {
  const change = actions.find(({ type, new_symbol }) => type === 'name_change' && new_symbol === symbol)
  return change
    ? firstNameOf(
        change.symbol,
        actions.filter((each) => each !== change),
      )
    : symbol
}
