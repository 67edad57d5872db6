import { basename } from 'node:path'
import { definedFields } from '@quipu/core/values'
import { looseFrame } from './frames.ts'

/** The symbol and the frame in a file name. */
export type FileNameParts = { readonly symbol?: string; readonly frame?: string }

const ENDINGS = /\.(csv|tsv|txt|parquet|pq|ndjson|jsonl|json|gz)$/i
/** File names that are not symbols. */
const GENERIC_NAMES =
  /^(data|bars?|trades?|quotes?|prices?|export|download|history|historical|table|out|output|test|file|sample|minute|day|daily|.*\d{4}-\d\d-\d\d.*|\d+)$/i
const CURRENCIES = 'USD|USDT|USDC|EUR|GBP|BTC|ETH'

/** `AAPL.csv`, `AAPL_1Min.csv.gz`, `aapl.us.txt`, `BTC-USD_1h.parquet`, `BRK-B.csv`. */
export function fileNameParts(path: string): FileNameParts {
  let name = basename(path)
  while (ENDINGS.test(name)) name = name.replace(ENDINGS, '')
  const words = name.split(/[_\s]+/).filter((word) => word !== '')
  const frame = words.map(looseFrame).find((found) => found !== undefined)
  const rest = words.filter((word) => looseFrame(word) === undefined)
  const first =
    rest[1] !== undefined && new RegExp(`^(${CURRENCIES})$`, 'i').test(rest[1])
      ? `${rest[0]}-${rest[1]}`
      : rest[0]
  const symbol = first !== undefined && !GENERIC_NAMES.test(first) ? symbolInName(first) : undefined
  return definedFields({ symbol, frame })
}

const PAIR = new RegExp(`^([A-Z0-9]{2,10})-(${CURRENCIES})$`)

/** Converts the spelling of other providers: `aapl.us` is AAPL, `BTC-USD` is BTC/USD, `BRK-B` is BRK.B. */
export function symbolInName(text: string): string {
  const isLowerCase = text === text.toLowerCase()
  const upper = (isLowerCase ? text.toUpperCase() : text).replace(/\.US$/, '')
  return upper.replace(PAIR, '$1/$2').replace(/^([A-Z]{1,5})-([A-Z])$/, '$1.$2')
}
