import { decodeBlock, encodeBlock, rowsInBlock } from './block.ts'
import { blockDigest, checksumOf } from './blocks.ts'
import { FIELDS, valueAt } from './rows.ts'
import { isSymbol, periodOf, seriesName } from './series-key.ts'
import type { SeriesBlocks } from './store.ts'

/** More rows than any block of an import has. A small block may claim any number. */
const ROWS_MAX = 1_000_000

/** Checks a series from elsewhere: every block is one that an import could have written. Throws an Error that says why not. */
export function* assertSeries({ record, blocks }: SeriesBlocks): Generator<void> {
  if (!Object.hasOwn(FIELDS, record.kind) || !isSymbol(record.symbol))
    throw new Error('a series has no valid name')
  const name = seriesName(record)
  const list = [...blocks]
  let [rows, bytes] = [0, 0]
  for (const block of list) {
    const { data } = block
    if (rowsInBlock(data) !== block.rows || block.rows > ROWS_MAX)
      throw new Error(`${name}: wrong number of rows`)
    const decoded = decodeBlock(record.kind, data)
    const length = periodOf(record)
    const isInPeriod = decoded.micros.every(
      (micros, row) =>
        Math.floor(micros / length) === block.period &&
        (row === 0 || micros >= valueAt(decoded.micros, row - 1)),
    )
    const isSame = checksumOf(encodeBlock(decoded, 0, decoded.count)) === block.sha256
    if (!isInPeriod || !isSame || block.first !== decoded.micros[0] || block.last !== decoded.micros.at(-1))
      throw new Error(`${name}: a block has other rows than it claims`)
    rows += block.rows
    bytes += data.length
    yield
  }
  if (blockDigest(record, list) !== record.digest || rows !== record.rows || bytes !== record.bytes)
    throw new Error(`${name}: blocks are missing`)
}
