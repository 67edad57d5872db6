/** The word that is most similar to a mistyped one, if any is similar enough. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  let best: string | undefined
  // With more than a third of the letters different, it is another word.
  let fewest = Math.max(2, Math.floor(typed.length / 3)) + 1
  for (const word of words) {
    const steps = distance(typed.toLowerCase(), word.toLowerCase())
    if (steps < fewest) [best, fewest] = [word, steps]
  }
  return best
}

/** Number of insertions, deletions and substitutions; two swapped neighbours count as one. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(changed, row[j]! + 1, next[j - 1]! + 1, swapped ? before[j - 2]! + 1 : Infinity)
    }
    ;[before, row] = [row, next]
  }
  return row[b.length]!
}
