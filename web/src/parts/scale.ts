/** Round values between two limits, for the lines of an axis. */
export function axisValues(low: number, high: number, count: number): readonly number[] {
  if (!(high > low)) return [low]
  const raw = (high - low) / Math.max(count, 1)
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= raw)!
  const values: number[] = []
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step)
    values.push(Number(value.toFixed(9)))
  return values
}

/** The decimals that tell the lines of an axis apart: as many as their step needs. */
export function stepDecimals(values: readonly number[]): number {
  const [first, second] = values
  if (first === undefined || second === undefined) return 0
  const step = second - first
  const isWhole = (count: number) =>
    Math.abs(step * 10 ** count - Math.round(step * 10 ** count)) < step * 10 ** count * 1e-6
  return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].find(isWhole) ?? 9
}

const MINUTE = 60_000
const steps = [
  1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7200, 10_080, 20_160, 43_200, 129_600, 525_600,
]

/** Instants between two limits at round distances. Days begin at midnight in New York, close enough for an axis. */
export function axisTimes(fromMs: number, toMs: number, count: number): readonly number[] {
  const raw = (toMs - fromMs) / Math.max(count, 1)
  const step = (steps.find((minutes) => minutes * MINUTE >= raw) ?? steps.at(-1)!) * MINUTE
  const offset = step >= 1440 * MINUTE ? 5 * 60 * MINUTE : 0
  const times: number[] = []
  for (let at = Math.ceil((fromMs - offset) / step) * step + offset; at <= toMs; at += step) times.push(at)
  return times
}

/** A number for an axis or a tag: `112,319`, `330.00`. For drawing only; amounts use format/amounts.ts. */
export function axisText(value: number, places: number): string {
  const [whole = '', fraction] = Math.abs(value).toFixed(places).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${value < 0 ? '−' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`
}

/** The path of a small curve, and the height of its dotted line. */
export function sparkPath(
  values: readonly number[],
  base: number | undefined,
): { readonly path: string; readonly baseY: string | undefined } {
  const all = base === undefined ? values : [base, ...values]
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const y = (value: number) => (high > low ? 20 - ((value - low) / (high - low)) * 18 : 11).toFixed(1)
  const x = (index: number) => (1 + (index / Math.max(values.length - 1, 1)) * 78).toFixed(1)
  const path = values.map((value, index) => `${index ? 'L' : 'M'}${x(index)} ${y(value)}`).join('')
  return { path, baseY: base === undefined ? undefined : y(base) }
}
