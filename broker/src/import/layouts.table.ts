import type { RowKind } from '../market/store/index.ts'

/** A known file layout. `columns` maps column names to fields; the columns in `marks` identify the layout. */
export type Layout = {
  readonly name: string
  readonly kind: RowKind
  readonly marks: readonly string[]
  readonly columns: Readonly<Record<string, string>>
  /** Column names are case-sensitive. */
  readonly exact?: true
}

/**
 * Columns and their fields: `t=time`. Without a field, the column has the name of its field: `open`, `Open`, and
 * `ask_price` for askPrice.
 */
const columns = (text: string): Layout['columns'] =>
  Object.fromEntries(
    text.split(' ').map((pair) => {
      const [column = '', field = camelCase(column)] = pair.split('=')
      return [column, field]
    }),
  )

const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

export const LAYOUTS: readonly Layout[] = [
  {
    name: 'wire bars',
    kind: 'bars',
    exact: true,
    marks: ['t', 'o', 'h', 'l', 'c', 'v'],
    columns: columns('t=time S=symbol symbol o=open h=high l=low c=close v=volume n=trades vw=vwap'),
  },
  {
    name: 'wire quotes',
    kind: 'quotes',
    exact: true,
    marks: ['t', 'ap', 'bp'],
    columns: columns(
      't=time S=symbol symbol ap=askPrice as=askSize ax=askExchange ' +
        'bp=bidPrice bs=bidSize bx=bidExchange c=conditions z=tape',
    ),
  },
  {
    name: 'wire trades',
    kind: 'trades',
    exact: true,
    marks: ['t', 'p', 's'],
    columns: columns(
      't=time S=symbol symbol p=price s=size x=exchange c=conditions i=id z=tape u=update tks=taker',
    ),
  },
  {
    name: 'alpaca-py bars',
    kind: 'bars',
    marks: ['timestamp', 'open', 'high', 'low', 'close', 'volume', 'trade_count', 'vwap'],
    columns: columns('symbol timestamp=time open high low close volume trade_count=trades vwap'),
  },
  {
    name: 'alpaca-py quotes',
    kind: 'quotes',
    marks: ['timestamp', 'bid_price', 'bid_size', 'ask_price', 'ask_size'],
    columns: columns(
      'symbol timestamp=time bid_exchange bid_price bid_size ask_exchange ask_price ask_size conditions tape',
    ),
  },
  {
    name: 'alpaca-py trades',
    kind: 'trades',
    marks: ['timestamp', 'price', 'size'],
    columns: columns('symbol timestamp=time exchange price size id conditions tape update taker_side=taker'),
  },
  {
    name: 'Polygon aggregates',
    kind: 'bars',
    marks: ['ticker', 'window_start', 'transactions', 'open', 'high', 'low', 'close', 'volume'],
    columns: columns('ticker=symbol volume open close high low window_start=time transactions=trades'),
  },
  {
    name: 'Polygon quotes',
    kind: 'quotes',
    marks: ['ticker', 'sip_timestamp', 'ask_price', 'bid_price'],
    columns: columns(
      'ticker=symbol sip_timestamp=time ask_exchange ask_price ask_size bid_exchange bid_price bid_size conditions tape',
    ),
  },
  {
    name: 'Polygon trades',
    kind: 'trades',
    marks: ['ticker', 'sip_timestamp', 'price', 'size'],
    columns: columns('ticker=symbol sip_timestamp=time price size id exchange conditions tape'),
  },
  {
    name: 'Stooq',
    kind: 'bars',
    marks: ['<TICKER>', '<PER>', '<DATE>', '<TIME>', '<OPEN>', '<HIGH>', '<LOW>', '<CLOSE>'],
    columns: columns(
      '<TICKER>=symbol <PER>=period <DATE>=date <TIME>=clock <OPEN>=open <HIGH>=high <LOW>=low <CLOSE>=close <VOL>=volume',
    ),
  },
  {
    name: 'Yahoo',
    kind: 'bars',
    marks: ['Date', 'Open', 'High', 'Low', 'Close', 'Adj Close', 'Volume'],
    columns: columns('Date=time Open High Low Close Volume'),
  },
  {
    name: 'Yahoo',
    kind: 'bars',
    marks: ['Datetime', 'Open', 'High', 'Low', 'Close', 'Volume'],
    columns: columns('Datetime=time Open High Low Close Volume'),
  },
  {
    name: 'Stooq daily',
    kind: 'bars',
    marks: ['Date', 'Open', 'High', 'Low', 'Close'],
    columns: columns('Date=time Open High Low Close Volume'),
  },
]
