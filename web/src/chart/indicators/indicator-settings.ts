import { signal } from '@preact/signals'

/** The indicators that the chart offers, in the order of the menu. */
export const indicatorKinds = {
  vwap: { title: 'VWAP', where: 'price', periods: [] },
  ema: { title: 'EMA', where: 'price', periods: [20] },
  sma: { title: 'SMA', where: 'price', periods: [50] },
  bollinger: { title: 'Bollinger bands', where: 'price', periods: [20, 2] },
  rsi: { title: 'RSI', where: 'below', periods: [14] },
} as const satisfies Readonly<
  Record<string, { title: string; where: 'price' | 'below'; periods: readonly number[] }>
>

export type IndicatorKind = keyof typeof indicatorKinds
export const indicatorNames = Object.keys(indicatorKinds) as IndicatorKind[]

type Setting = { readonly isOn: boolean; readonly periods: readonly number[] }
export type IndicatorSettings = Readonly<Record<IndicatorKind, Setting>>

export const PERIOD_MAX = 200
const STORED = 'quipu-indicators'

const isPeriod = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= PERIOD_MAX

/** The settings of this browser; the default is VWAP alone. */
function stored(): IndicatorSettings {
  let read: Partial<Record<string, Partial<Setting>>> = {}
  try {
    read = JSON.parse(localStorage.getItem(STORED) ?? '{}')
  } catch {
    // Another program wrote it: the defaults follow.
  }
  const settingOf = (kind: IndicatorKind): Setting => {
    const known = read?.[kind]
    const periods = indicatorKinds[kind].periods.map((normal, index) => {
      const value = known?.periods?.[index]
      return isPeriod(value) ? value : normal
    })
    return { isOn: typeof known?.isOn === 'boolean' ? known.isOn : kind === 'vwap', periods }
  }
  return {
    vwap: settingOf('vwap'),
    ema: settingOf('ema'),
    sma: settingOf('sma'),
    bollinger: settingOf('bollinger'),
    rsi: settingOf('rsi'),
  }
}

export const indicators = signal<IndicatorSettings>(stored())
/** While the viewer holds Alt. */
export const areIndicatorsHidden = signal(false)

export function setIndicator(kind: IndicatorKind, change: Partial<Setting>): void {
  indicators.value = { ...indicators.value, [kind]: { ...indicators.value[kind], ...change } }
  localStorage.setItem(STORED, JSON.stringify(indicators.value))
}

/** Takes a typed period, if it is one. */
export function setPeriod(kind: IndicatorKind, index: number, text: string): void {
  const value = Number(text)
  if (!isPeriod(value)) return
  setIndicator(kind, {
    periods: indicators.peek()[kind].periods.map((one, at) => (at === index ? value : one)),
  })
}
