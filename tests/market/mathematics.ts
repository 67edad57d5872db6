/** Statistics of lists of numbers. */
type Numbers = readonly number[]

export const mean = (values: Numbers): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The mean of the deviations from the mean, to a power, in units of the standard deviation. */
function moment(values: Numbers, power: number): number {
  const [middle, scale] = [mean(values), deviation(values)]
  return mean(values.map((value) => ((value - middle) / scale) ** power))
}

export function deviation(values: Numbers): number {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) * (value - middle))))
}

export const kurtosis = (values: Numbers): number => moment(values, 4)
export const skew = (values: Numbers): number => moment(values, 3)

/** The correlation of the newest values that both lists have. */
export function correlation(a: Numbers, b: Numbers): number {
  const count = Math.min(a.length, b.length)
  const [one, other] = [a.slice(-count), b.slice(-count)]
  const [first, second] = [mean(one), mean(other)]
  const common = mean(one.map((value, index) => (value - first) * (other[index]! - second)))
  return common / deviation(one) / deviation(other)
}

/** The change of the second list when the first changes by one. */
export function slope(a: Numbers, b: Numbers): number {
  const count = Math.min(a.length, b.length)
  return (correlation(a, b) * deviation(b.slice(-count))) / deviation(a.slice(-count))
}

/** The correlation of a list with itself `steps` later. */
export const autocorrelation = (values: Numbers, steps: number): number =>
  correlation(values.slice(0, -steps), values.slice(steps))

export function quantile(values: Numbers, part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(part * (sorted.length - 1))]!
}

/** Changes from each value to the next: logarithmic, and as a fraction of the value. */
export const changes = (values: Numbers): number[] =>
  values.slice(1).map((value, index) => Math.log(value / values[index]!))
export const simpleChanges = (values: Numbers): number[] =>
  values.slice(1).map((value, index) => value / values[index]! - 1)
