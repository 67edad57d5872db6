const DISTANCE_MAX = 2

/** The known word most like the given one, if one is like it at all. */
export function nearestWord(given: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = DISTANCE_MAX + 1
  for (const word of known) {
    if (Math.abs(word.length - given.length) >= least) continue
    const distance = distanceBetween(given, word)
    if (distance < least) {
      least = distance
      best = word
    }
  }
  return best
}

/** How many letters must be added, dropped or changed to make one word the other. */
function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
