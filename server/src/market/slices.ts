import { setImmediate } from 'node:timers/promises'

/** So many symbols at once take a few milliseconds; then other worlds have their turn. */
const AT_ONCE = 50

/** All of a list, made slice by slice. */
export async function inSlices<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = []
  for (let start = 0; start < items.length; start += AT_ONCE) {
    if (start > 0) await setImmediate()
    made.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(make))))
  }
  return made
}
