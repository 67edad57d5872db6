import { worldName } from '../session/selection.ts'
import { isAuditor, isOperator, serverUrl } from '../session/session.ts'
import { type Found, SHIFT_ENTER } from '../shell/found.ts'
import { openCommand } from './command-choice.ts'
import { commandList, docsTitles } from './files.ts'
import { findOrders, findRequests, forgetRecent } from './find-ids.ts'
import { readSentence } from './read-sentence.ts'
import { doSentence, momentNow } from './sentence-action.ts'
import { valueAfter } from './sentence-values.ts'
import { describeSentence, needsOperator } from './sentence-words.ts'

/** Results of one kind. What asks the server waits until the viewer pauses, and ends with the signal. */
type Finder = (text: string, signal: AbortSignal) => Promise<readonly Found[]>

/** The kinds of results that are loaded with the first opening of the search. */
export const finders = {
  sentence: findSentence,
  operations: findOperations,
  orders: findOrders,
  requests: findRequests,
  docs: findDocs,
} satisfies Record<string, Finder>

export { forgetRecent, valueAfter }

const FOUND_MAX = 5

/** Titles of the documentation; its own search has the full text. */
async function findDocs(text: string): Promise<readonly Found[]> {
  const wanted = text.trim().toLowerCase()
  const titles = await docsTitles()
  const rank = (title: string) => (title === wanted ? 0 : title.startsWith(wanted) ? 1 : 2)
  return titles
    .map((entry) => ({ ...entry, lower: entry.title.toLowerCase() }))
    .filter(({ lower }) => lower.includes(wanted))
    .sort((a, b) => rank(a.lower) - rank(b.lower))
    .slice(0, FOUND_MAX)
    .map(({ href, title, about, section }) => ({
      id: `docs ${href}`,
      group: 'Docs',
      icon: 'book',
      title,
      ...(about !== undefined && { about }),
      beside: section,
      run: () => location.assign(`${serverUrl}/${href}`),
    }))
}

const OPERATIONS_MAX = 6

/** The operations of `/sim/v1` that the viewer may call. */
async function findOperations(text: string): Promise<readonly Found[]> {
  const words = text.trim().toLowerCase().split(/\s+/)
  if (text.trim().length < 3) return []
  const mayCall = (who: string, reads = false) =>
    (who === 'account' || isOperator.peek()) && (reads || !isAuditor.peek())
  return (await commandList())
    .filter(({ who, onlyReads }) => mayCall(who, onlyReads))
    .filter(({ operation, title }) => {
      const searched = `${title} ${operation}`.toLowerCase()
      return words.every((word) => searched.includes(word))
    })
    .slice(0, OPERATIONS_MAX)
    .map((command) => ({
      id: `operation ${command.operation}`,
      group: 'Operations',
      icon: 'sliders',
      title: command.title,
      beside: command.operation,
      run: () => openCommand(command),
    }))
}

/** The row of a sentence, and a row that does it in a fork. An incomplete sentence says what is missing. */
async function findSentence(text: string): Promise<readonly Found[]> {
  const read = readSentence(text)
  if (read === undefined || isAuditor.peek()) return []
  if (read.kind === 'incomplete')
    return isOperator.peek() || /^(buy|sell)/i.test(text.trim())
      ? [{ id: 'sentence', group: 'Do it', icon: 'bolt', title: read.missing, isHint: true }]
      : []
  const { sentence: said } = read
  if (needsOperator(said) && !isOperator.peek()) return []
  const { icon, title, about, verb, canFork } = describeSentence(said, momentNow())
  const first = said.kind === 'order' ? undefined : ({ isOfWorld: true } as const)
  const act = (inFork: boolean) => () => doSentence(said, inFork)
  const rows: Found[] = [
    { id: 'sentence', group: 'Do it', icon, title, about, key: '↵', beside: verb, ...first, act: act(false) },
  ]
  if (canFork && isOperator.peek()) {
    const forked = `Fork, then ${title.charAt(0).toLowerCase()}${title.slice(1)}`
    const unchanged = `${worldName.peek()} does not change`
    rows.push({
      id: 'sentence in a fork',
      group: 'Do it',
      icon: 'fork',
      title: forked,
      about: unchanged,
      key: SHIFT_ENTER,
      isOfWorld: true,
      act: act(true),
    })
  }
  return rows
}
