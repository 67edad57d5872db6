/** A word that the repository no longer uses, and the words to use instead. */
export type ReplacedWord = {
  readonly word: string
  readonly use: string
  /** Names: files, folders, exported declarations and fields of the API. Elsewhere the word is plain English. */
  readonly refused: 'everywhere' | 'in names'
}

const everywhere = (word: string, use: string): ReplacedWord => ({ word, use, refused: 'everywhere' })
const inNames = (word: string, use: string): ReplacedWord => ({ word, use, refused: 'in names' })

export const replacedWords: readonly ReplacedWord[] = [
  everywhere('attention', 'unmatched transfer; manual review'),
  everywhere('breath', 'tick'),
  everywhere('foretold', 'scheduled'),
  everywhere('furnish', 'bootstrap'),
  everywhere('furnished', 'bootstrapped'),
  everywhere('furnishes', 'bootstraps'),
  everywhere('furniture', 'seed data'),
  everywhere('guesses', 'failed attempts'),
  everywhere('guest', 'connection'),
  everywhere('guests', 'connections'),
  everywhere('heed', 'follow'),
  everywhere('heeded', 'followed'),
  everywhere('heeds', 'follows'),
  inNames('moody', 'unreliable'),
  everywhere('platter', 'disk image'),
  everywhere('reckon', 'estimate'),
  everywhere('reckoned', 'estimated'),
  everywhere('reckoning', 'calculation'),
  everywhere('reckons', 'estimates'),
  everywhere('retold', 'replayed'),
  everywhere('steer', 'control'),
  everywhere('steered', 'virtual (of a clock); controlled'),
  everywhere('steering', 'control'),
  everywhere('steers', 'controls'),
  everywhere('tells', 'returns, sends, reports, publishes'),
  everywhere('told', 'returned, sent, reported, published'),
  everywhere('uphold', 'check'),
  everywhere('upholds', 'checks'),
  everywhere('upheld', 'checked'),
  everywhere('weather', 'market events'),
  everywhere('wish', 'request'),
  everywhere('wishes', 'requests'),
  inNames('door', 'entry point'),
  inNames('given', 'input, options, or the noun that it holds'),
  inNames('hand', 'worker'),
  inNames('hands', 'workers'),
  inNames('heard', 'received, or a noun'),
  inNames('house', 'architecture'),
  inNames('life', 'incarnation (of a world); lifetime; run'),
  inNames('lives', 'incarnations, runs'),
  inNames('luck', 'a random number'),
  inNames('means', 'buying power'),
  inNames('own', 'self-trade index; custom'),
  inNames('person', 'user'),
  inNames('places', 'data folder layout, or the noun that it holds'),
  inNames('present', 'a noun'),
  inNames('room', 'exit capacity; package, folder'),
  inNames('say', 'report'),
  inNames('says', 'reports'),
  inNames('seen', 'processed, or a noun'),
  inNames('stands', 'is stored'),
]
