import { pauseWork } from '../clock/long-work.ts'

/** Symbols per slice: a few milliseconds of work, then other worlds run. */
const AT_ONCE = 50

/** Maps a list slice by slice. */
export async function inSlices<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
  atOnce = AT_ONCE,
): Promise<Made[]> {
  const made: Made[] = []
  for (let start = 0; start < items.length; start += atOnce) {
    if (start > 0) await pauseWork()
    made.push(...(await Promise.all(items.slice(start, start + atOnce).map(make))))
  }
  return made
}
