import { nameKey } from '@quipu/core'

/**
 * Words that people use as passwords everywhere, alone, repeated, or with digits and signs around them. General knowledge,
 * not a published list. A password has at least 12 characters, so shorter ones occur only in such a form.
 */
const words: ReadonlySet<string> = new Set(
  `password passw0rd p@ssword p@ssw0rd passwort motdepasse contrasena senha administrator admin root user welcome
   letmein iloveyou princess sunshine football baseball basketball superman batman dragon monkey shadow master trustno
   qwerty qwertz azerty qwertyuiop qwertzuiop asdfghjkl zxcvbnm asdf zxcv qazwsx qazwsxedc qweasdzxc abc abcd abcdef
   abcdefgh abcdefghijkl changeme changeit secret default test testing demo example login hello hallo summer winter spring
   autumn michael jennifer jordan charlie computer internet samsung google facebook starwars pokemon whatever freedom
   mypassword thisismypassword mysecretpassword correcthorsebatterystaple quipu broker trading alpaca`.split(
    /\s+/,
  ),
)

/** Rows of a keyboard and of digits, in both directions. */
const rows = ['01234567890123456789', 'qwertyuiopasdfghjklzxcvbnm', 'abcdefghijklmnopqrstuvwxyz']
const sequences = rows.flatMap((row) => [row, [...row].reverse().join('')])

/** Whether attackers try this password first. */
export function isCommonPassword(password: string): boolean {
  const text = nameKey(password).replaceAll(/[\s_.-]/g, '')
  // What is left without the digits and signs around the word.
  const word = text.replaceAll(/^[^a-z]+|[^a-z]+$/g, '')
  return [text, word].some((part) => words.has(part) || isSequence(part) || isRepeated(part))
}

/** Only digits and signs: one row of keys, or the empty rest of a password without letters. */
const isSequence = (text: string): boolean =>
  text === '' ||
  sequences.some((row) => row.includes(text) || text.split(/(?<=^.{10})/).every((part) => row.includes(part)))

/** One short text again and again, such as `abcabcabcabc` or a common word twice. */
function isRepeated(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length++) {
    const part = text.slice(0, length)
    if (text.length % length === 0 && part.repeat(text.length / length) === text)
      return length <= 4 || words.has(part) || isSequence(part)
  }
  return false
}
