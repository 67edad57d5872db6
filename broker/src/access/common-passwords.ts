import { lastOf, nameKey } from '@quipu/core'

/**
 * Words that many people use in passwords. General knowledge, not a published list. How a password is checked: it is cut
 * into common words, keyboard walks, digits and signs. If nothing else is in it, and at most two words, it is common.
 */
const wordList = `
  password passwort passwd pass motdepasse contrasena senha parola haslo losenord wachtwoord пароль secret secreto geheim
  administrator administrador admin root user username login account access system server database default temp
  temporary welcome willkommen bienvenue bienvenido bemvindo hello hallo bonjour hola ciao goodbye letmein opensesame
  changeme changeit please thankyou whatever nothing something anything test testing tester demo example sample
  trustno trust iloveyou ilove iloveu ihate loveyou loveme lovely love lover forever always family friend friends mother
  father sister brother babygirl baby angel princess prince queen king kingdom honey sweetheart sunshine schatz amor
  teamo tequiero jetaime fuckyou fuck asshole bitch badass sexy god jesus christ heaven blessed faith
  football fussball futbol soccer baseball basketball hockey tennis golf rugby cricket champion winner liverpool arsenal
  chelsea manchester united everton tottenham barcelona realmadrid juventus bayern dortmund schalke benfica celtic
  rangers lakers yankees steelers cowboys packers patriots eagles ferrari porsche mercedes mustang corvette harley yamaha
  superman batman spiderman ironman wolverine deadpool avengers starwars startrek skywalker yoda gandalf hogwarts
  harrypotter hobbit matrix naruto goku dragonball pokemon pikachu minecraft fortnite roblox zelda mario sonic warcraft
  counterstrike hunter killer ninja samurai soldier warrior phoenix dragon monkey tiger lion eagle falcon wolf shadow
  panther bear dolphin horse puppy kitty kitten butterfly flower rainbow cookie chocolate cheese banana orange apple
  cherry strawberry peanut pepper ginger coffee summer sommer winter spring autumn herbst fruhling verano invierno
  primavera printemps january february march april june july august september october november december januar februar
  marz juni juli oktober dezember janvier fevrier avril juin juillet aout septembre octobre novembre decembre enero
  febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre monday tuesday wednesday thursday
  friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag today tomorrow birthday christmas
  weihnachten holiday weekend morning night midnight silver golden diamond purple yellow green blue black white
  michael michelle jennifer jessica jordan charlie daniel andrew joshua matthew anthony robert richard william thomas
  george joseph david james john johnny steven steve jason justin brandon ashley amanda nicole samantha elizabeth
  victoria vanessa melissa stephanie christian christopher alexander alexandra alexis andrea andreas sandra laura maria
  martin peter patrick oliver sophie sabrina natalie natasha rebecca rachel hannah sarah emily maggie buster bailey
  cooper tigger snoopy garfield scooby simba nemo hunter hardcore metallica nirvana slipknot eminem beatles elvis
  guitar music dance dancer player gamer computer laptop internet network windows microsoft linux ubuntu android iphone
  samsung google youtube facebook instagram twitter tiktok netflix spotify amazon paypal bitcoin crypto money dollar
  million lucky success freedom liberty peace power master monster maverick legend genius hacker cyber company business
  manager office work school student teacher doctor police london paris berlin hamburg munich wien madrid roma moscow
  newyork brooklyn boston chicago dallas houston texas california florida america england france germany deutschland
  spain italia italy brasil brazil canada mexico india australia china japan
  ever dog cat cake ichliebedich correcthorsebatterystaple thisismypassword mysecretpassword mypassword thisisatest my the
  quipu broker trading trader alpaca stocks market`

const MAX_WORDS = 2
/** The longest word or walk. */
const MAX_PIECE = 52
const MAX_REPEATED = 6
const MIN_WALK = 3

const DIGITS = '1234567890'
const SHIFTED_DIGITS = '!@#$%^&*()'
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'
/** Keys of a keyboard from left to right: digits, then three rows of letters. */
const layouts = [
  [DIGITS, 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  [DIGITS, 'qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  [DIGITS, 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
  [DIGITS, 'йцукенгшщзхъ', 'фывапролджэ', 'ячсмитьбю'],
]
/** Letters that a digit or sign replaces. `1` replaces `i` and `l`, so these three are one letter. */
const letterOf: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '0': 'o',
  '1': 'i',
  '!': 'i',
  l: 'i',
  '3': 'e',
  '5': 's',
  $: 's',
  '7': 't',
}

const reversed = (text: string): string => [...text].reverse().join('')
const withLetters = (text: string): string => [...text].map((sign) => letterOf[sign] ?? sign).join('')
/** Lower case, without accents, spaces and signs that join words. */
const plain = (text: string): string =>
  nameKey(text)
    .normalize('NFD')
    .replaceAll(/[\s_.\p{M}-]/gu, '')

/** The characters of two rows by turns: `1q2w3e`. */
const byTurns = (one: string, other: string): string =>
  [...one].map((key, index) => key + (other[index] ?? '')).join('')

/** Rows, columns, and each row by turns with each. */
const linesOf = (rows: readonly string[]): readonly string[] => [
  ...rows,
  ...[...DIGITS].map((_, column) => rows.map((row) => row[column] ?? '').join('')),
  ...rows.flatMap((one) => rows.map((other) => byTurns(one, other))),
]

const words: ReadonlySet<string> = new Set(wordList.trim().split(/\s+/).map(plain).map(withLetters))
const walks = [...layouts, [DIGITS, ALPHABET]]
  .flatMap((rows) => linesOf(rows.map(plain)))
  .flatMap((line) => [line, reversed(line)])
  .join('\n')

/** Whether attackers try this password first. */
export function isCommonPassword(password: string): boolean {
  const text = plain(password)
  const inner = text.replaceAll(/^[!-@[-`{-~]+|[!-@[-`{-~]+$/g, '')
  return [text, inner, reversed(text)].some(isGuessable)
}

/** A text that is repeated is as common as the text. */
function isGuessable(text: string): boolean {
  const part = /^(.+?)\1+$/u.exec(text)?.[1] ?? text
  return (part !== text && part.length <= MAX_REPEATED) || wordsIn(part) <= MAX_WORDS
}

/** The fewest common words that the text can be cut into; infinite if a part of it is not common. */
function wordsIn(text: string): number {
  const fewest = [0]
  for (let end = 1; end <= text.length; end++) {
    const costs = fewest
      .slice(-MAX_PIECE)
      .map((cost, index, { length }) =>
        cost < Number.POSITIVE_INFINITY ? cost + costOf(text.slice(end - length + index, end)) : cost,
      )
    fewest.push(Math.min(...costs))
  }
  return lastOf(fewest)
}

/** Walks, digits and signs are free. */
function costOf(piece: string): number {
  if (/^([!-@[-`{-~]|(.)\2\2+)$/u.test(piece) || isWalk(piece)) return 0
  return words.has(withLetters(piece)) ? 1 : Number.POSITIVE_INFINITY
}

/** Also with Shift on the digits: `!qaz@wsx`. */
function isWalk(piece: string): boolean {
  if (piece.length < MIN_WALK) return false
  const keys = [...piece].map((key) => DIGITS[SHIFTED_DIGITS.indexOf(key)] ?? key).join('')
  return walks.includes(keys)
}
