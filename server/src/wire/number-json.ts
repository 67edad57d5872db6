/**
 * Numbers as JSON.stringify writes them, into a view of bytes. Digits are written three at a time by one store of four
 * bytes; the fourth is written over by what comes next, so whoever writes leaves a little room at the end.
 */

/** The digits of each number below 1000 as the bytes of a little-endian word: the hundreds come first. */
const TRIPLES = Int32Array.from({ length: 1000 }, (_, number) => {
  const [hundreds, tens, ones] = [Math.floor(number / 100), Math.floor(number / 10) % 10, number % 10]
  return 0x303030 | hundreds | (tens << 8) | (ones << 16)
})
/** How many zeros stand at the end of those. */
const ZEROS = Uint8Array.from({ length: 1000 }, (_, number) =>
  number === 0 ? 3 : number % 100 === 0 ? 2 : number % 10 === 0 ? 1 : 0,
)
const [POINT, MINUS] = [46, 45]

/** No number is longer in JSON, `-0.0000020628669257713636`; and a word may hang over. */
export const NUMBER_BYTES = 25 + 4

/** Decimals of up to fifteen digits are apart as doubles, so the shortest text of one is the decimal itself. */
const EXACT_BELOW = 1e15
/** Whole numbers below are counted in 32 bits. */
const INTEGER_BELOW = 2 ** 31
/** What is smaller is written with an exponent. */
const PLAIN_FROM = 1e-6

/** Writes a number; answers where it ends. There must be room for NUMBER_BYTES. */
export function putNumber(view: DataView, at: number, value: number): number {
  if (value < 0 && value > Number.NEGATIVE_INFINITY) {
    view.setUint8(at, MINUS)
    return putPositive(view, at + 1, -value)
  }
  return putPositive(view, at, value)
}

/** Whole numbers, then cents, then six places as averages have them, then all else. */
function putPositive(view: DataView, at: number, value: number): number {
  if (value < INTEGER_BELOW && value === (value | 0)) return putInteger(view, at, value | 0)
  if (value < PLAIN_FROM || !(value < INTEGER_BELOW)) return putRare(view, at, value)
  const cents = Math.floor(value * 1e2 + 0.5)
  if (cents / 1e2 === value && cents < INTEGER_BELOW) return putCents(view, at, cents | 0)
  const millionths = Math.floor(value * 1e6 + 0.5)
  if (millionths / 1e6 === value && millionths < EXACT_BELOW) return putMillionths(view, at, millionths)
  return putRare(view, at, value)
}

function putCents(view: DataView, at: number, cents: number): number {
  const integer = (cents / 100) | 0
  const fraction = (cents - integer * 100) * 10
  const end = putInteger(view, at, integer)
  view.setInt32(end, POINT | (TRIPLES[fraction]! << 8), true)
  return end + 4 - ZEROS[fraction]!
}

function putMillionths(view: DataView, at: number, millionths: number): number {
  const integer = Math.floor(millionths / 1e6)
  const fraction = (millionths - integer * 1e6) | 0
  const head = (fraction / 1000) | 0
  const tail = fraction - head * 1000
  const end = putInteger(view, at, integer | 0)
  view.setUint8(end, POINT)
  view.setInt32(end + 1, TRIPLES[head]!, true)
  view.setInt32(end + 4, TRIPLES[tail]!, true)
  return end + 7 - (tail === 0 ? 3 + ZEROS[head]! : ZEROS[tail]!)
}

/** Long whole numbers and nine places of coins; what remains goes the general way. */
function putRare(view: DataView, at: number, value: number): number {
  if (value < EXACT_BELOW && Number.isInteger(value)) return putLong(view, at, value)
  const billionths = Math.floor(value * 1e9 + 0.5)
  if (value < PLAIN_FROM || billionths / 1e9 !== value || !(billionths < EXACT_BELOW))
    return putAscii(view, at, Number.isFinite(value) ? String(value) : 'null')
  const integer = Math.floor(billionths / 1e9)
  const end = putInteger(view, at, integer)
  view.setUint8(end, POINT)
  let last = putNine(view, end + 1, billionths - integer * 1e9)
  while (view.getUint8(last - 1) === 48) last--
  return last
}

/** A whole number from 2³¹ to below 10¹⁵. */
function putLong(view: DataView, at: number, value: number): number {
  const head = Math.floor(value / 1e9)
  return putNine(view, putInteger(view, at, head | 0), value - head * 1e9)
}

/** A whole number from 0 to below 2³¹. */
function putInteger(view: DataView, at: number, value: number): number {
  if (value < 1000) return putHead(view, at, value)
  const head = (value / 1000) | 0
  const end = head < 1000 ? putHead(view, at, head) : putThousands(view, at, head)
  view.setInt32(end, TRIPLES[value - head * 1000]!, true)
  return end + 3
}

/** A whole number from 1000 to 2³¹ / 1000. */
function putThousands(view: DataView, at: number, value: number): number {
  const head = (value / 1000) | 0
  const end = head < 1000 ? putHead(view, at, head) : putHead(view, at, (head / 1000) | 0)
  if (head < 1000) {
    view.setInt32(end, TRIPLES[value - head * 1000]!, true)
    return end + 3
  }
  view.setInt32(end, TRIPLES[head % 1000]!, true)
  view.setInt32(end + 3, TRIPLES[value - head * 1000]!, true)
  return end + 6
}

/** Up to three digits, without zeros in front. */
function putHead(view: DataView, at: number, value: number): number {
  const digits = TRIPLES[value]!
  if (value >= 100) {
    view.setInt32(at, digits, true)
    return at + 3
  }
  if (value >= 10) {
    view.setInt32(at, digits >> 8, true)
    return at + 2
  }
  view.setInt32(at, digits >> 16, true)
  return at + 1
}

/** Nine digits, zeros in front included. */
function putNine(view: DataView, at: number, value: number): number {
  const head = Math.floor(value / 1e6)
  const rest = (value - head * 1e6) | 0
  const middle = (rest / 1000) | 0
  view.setInt32(at, TRIPLES[head]!, true)
  view.setInt32(at + 3, TRIPLES[middle]!, true)
  view.setInt32(at + 6, TRIPLES[rest - middle * 1000]!, true)
  return at + 9
}

/** Two digits of a number below 100 and a byte after them, as a word whose last byte is 0. */
export const pairAnd = (value: number, byte: number): number => (TRIPLES[value]! >> 8) | (byte << 16)

/** Text of ASCII, as it is. */
export function putAscii(view: DataView, at: number, text: string): number {
  for (let place = 0; place < text.length; place++) view.setUint8(at + place, text.charCodeAt(place))
  return at + text.length
}
