const WIDTH = 100
const HEIGHT = 16

/** A text chart of prices in cents: each column is a time range, drawn from its low to its high. */
export function plotOf(closes: readonly number[]): string {
  const columns = Array.from({ length: WIDTH }, (_, column) => {
    const [from, to] = [column, column + 1].map((edge) => Math.floor((edge * closes.length) / WIDTH))
    const part = closes.slice(from, to)
    return { low: Math.min(...part), high: Math.max(...part) }
  })
  const [low, high] = [Math.min(...closes), Math.max(...closes)]
  const rowOf = (price: number): number => Math.round(((HEIGHT - 1) * (price - low)) / (high - low))
  return Array.from({ length: HEIGHT }, (_, line) => {
    const row = HEIGHT - 1 - line
    const price = (low + ((high - low) * row) / (HEIGHT - 1)) / 100
    const text = columns.map((column) => (rowOf(column.low) <= row && row <= rowOf(column.high) ? '█' : ' '))
    return `${price.toFixed(2).padStart(10)} ${text.join('')}`.trimEnd()
  }).join('\n')
}
