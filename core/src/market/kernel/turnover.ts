import { clamp, type Draft, type Node, turnoverMax, turnoverMin } from './node.ts'

/** Margin kept at both ends of the possible range, so that the halves can still be split freely. */
const EDGE = 0.2

/**
 * Distributes the turnover close to the wanted value. False if the prices of the halves allow no
 * distribution.
 */
export function shareTurnover(node: Node, left: Draft, right: Draft, wanted: number): boolean {
  const { turnover } = node
  const min = Math.max(turnoverMin(left), turnover - turnoverMax(right))
  const max = Math.min(turnoverMax(left), turnover - turnoverMin(right))
  if (min > max) return false
  const edge = EDGE * (max - min)
  left.turnover = Math.round(clamp(wanted, min + edge, max - edge))
  right.turnover = turnover - left.turnover
  return true
}

/**
 * Widens the halves when the turnover cannot be distributed. First both reach the needed extreme, then they
 * meet at it, then one or both get the whole range; one of these always fits. Rarely needed.
 */
export function widenHalves(node: Node, left: Draft, right: Draft): void {
  const even = (node.turnover / node.volume) * left.volume
  const isLow = node.turnover < turnoverMin(left) + turnoverMin(right)
  const extreme = isLow ? node.low : node.high
  for (const middle of [left.close, extreme]) {
    if (middle === extreme) left.close = right.open = extreme
    for (const half of [left, right]) {
      half.high = isLow ? Math.max(half.high, half.open, half.close) : node.high
      half.low = isLow ? node.low : Math.min(half.low, half.open, half.close)
    }
    if (shareTurnover(node, left, right, even)) return
  }
  for (const middle of [node.low, node.high])
    for (const owner of ['both', 'left', 'right']) {
      left.close = right.open = middle
      setRange(left, owner !== 'right' ? node : left)
      setRange(right, owner !== 'left' ? node : right)
      if (shareTurnover(node, left, right, even)) return
    }
  throw new Error(`bug: no halves for ${JSON.stringify({ ...node, halves: undefined })}`)
}

function setRange(half: Draft, owner: Node): void {
  half.high = owner === half ? Math.max(half.open, half.close) : owner.high
  half.low = owner === half ? Math.min(half.open, half.close) : owner.low
}
