import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { definedFields } from '@quipu/core/values'
import { emptyFolder } from '../../journal/testing/journal.ts'
import { type MarketStore, openStore } from '../../market/store/index.ts'
import { csvPieces, type ExportQuery } from '../export.ts'
import type { ImportOptions } from '../options.ts'
import { importFiles } from '../run.ts'

export const sample = (name: string): string => fileURLToPath(new URL(`../samples/${name}`, import.meta.url))

export const emptyStore = (): MarketStore => openStore(join(emptyFolder(), 'market'))

/** Creates a file in a new temporary folder. */
export function file(name: string, content: string | Uint8Array): string {
  const path = join(emptyFolder(), name)
  writeFileSync(path, content)
  return path
}

/** The rows of a query as CSV, without the header. */
export const exported = (store: MarketStore, query: ExportQuery): string =>
  [...csvPieces(store, query)].join('').replace(/^.*\n/, '').trimEnd()

/** Imports a file and returns each series: its name, then its rows. */
export async function imported(path: string, options: ImportOptions = {}): Promise<string> {
  const store = emptyStore()
  try {
    const { series } = await importFiles(store, [path], options)
    return series
      .map(({ kind, frame, symbol }) => {
        const query = { kind, symbols: [symbol], ...definedFields({ frame }) }
        return `${kind}${frame === undefined ? '' : ` ${frame}`} ${symbol}\n${exported(store, query)}`
      })
      .join('\n')
  } finally {
    store.close()
  }
}
