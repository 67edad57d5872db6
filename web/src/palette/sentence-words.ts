import { dayText, secondText } from '../format/times.ts'
import type { IconName } from '../parts/icon.tsx'
import type { ForkPoint, OrderSentence, Sentence } from './sentence.ts'
import { sentenceText } from './sentence.ts'
import { beginOf, type Moment } from './sentence-time.ts'

/** A sentence as a row of the search. */
export type SentenceWords = {
  readonly icon: IconName
  readonly title: string
  readonly about: string
  /** What Enter does. */
  readonly verb: string
  /** What else it can do is done in a fork, so that this world does not change. */
  readonly canFork: boolean
}

export function describeSentence(sentence: Sentence, moment: Moment): SentenceWords {
  switch (sentence.kind) {
    case 'crash':
    case 'halt':
    case 'gap':
      return { ...eventWords(sentence, moment), icon: 'bolt', verb: 'plan', canFork: true }
    case 'advance':
      return { icon: 'clock', ...advanceWords[sentence.until], verb: 'advance', canFork: true }
    case 'fork':
      return { icon: 'fork', title: 'Fork', about: forkAbout(sentence.from), verb: 'fork', canFork: false }
    case 'backup':
      return {
        icon: 'download',
        title: 'Back up main',
        about: 'into the backup folder of the server',
        verb: 'back up',
        canFork: false,
      }
    case 'order':
      return { icon: 'plus', ...orderWords(sentence), verb: 'fill the ticket', canFork: true }
  }
}

type EventSentence = Extract<Sentence, { readonly kind: 'crash' | 'halt' | 'gap' }>

function eventWords(sentence: EventSentence, moment: Moment): Pick<SentenceWords, 'title' | 'about'> {
  const of = sentence.symbol ?? 'every stock'
  switch (sentence.kind) {
    case 'crash':
      return {
        title: `Crash ${of} −${sentence.percent} %`,
        about: `at ${secondText(beginOf(sentence.start, moment))}, back after ${sentence.minutes} min`,
      }
    case 'halt':
      return {
        title: `Halt ${of}`,
        about: `at ${secondText(beginOf(sentence.start, moment))}, for ${sentence.minutes} min`,
      }
    case 'gap':
      return {
        title: `Gap ${of} ${sentence.percent.startsWith('-') ? sentence.percent.replace('-', '−') : `+${sentence.percent}`} %`,
        about: `at the open of ${dayText(moment.nextOpenMs)}`,
      }
  }
}

type AdvanceSentence = Extract<Sentence, { readonly kind: 'advance' }>

const advanceWords: Readonly<Record<AdvanceSentence['until'], Pick<SentenceWords, 'title' | 'about'>>> = {
  next_open: { title: 'Advance to the next open', about: 'everything on the way happens' },
  next_close: { title: 'Advance to the next close', about: 'everything on the way happens' },
  next_event: { title: 'Advance to the next event', about: 'at most seven days' },
}

function forkAbout(from: ForkPoint): string {
  switch (from.kind) {
    case 'now':
      return 'as the world is now'
    case 'at':
      return `as the world was at ${from.time}`
    case 'shownOrder':
      return 'as the world was before the order on screen'
    case 'order':
      return `as the world was before ${from.clientOrderId}`
  }
}

const orderWords = (order: OrderSentence): Pick<SentenceWords, 'title' | 'about'> => {
  const text = sentenceText(order)
  return { title: text.charAt(0).toUpperCase() + text.slice(1), about: 'opens the ticket; you send it' }
}

/** Operators control worlds; the ticket is for everybody but auditors. */
export const needsOperator = ({ kind }: Sentence): boolean => kind !== 'order'
