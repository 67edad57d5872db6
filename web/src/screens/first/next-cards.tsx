import type { JSX } from 'preact'
import type { IconName } from '../../parts/icon.tsx'
import { Icon } from '../../parts/icon.tsx'

const cards: readonly (readonly [icon: IconName, title: string, about: string, page: string])[] = [
  [
    'bolt',
    'Run it through a bad day',
    'A crash, a halt and a lost answer. 40 seconds.',
    'docs/guides/drills',
  ],
  ['play', 'Run it over six months', 'One command, with a verdict at the end.', 'docs/guides/backtest'],
  ['key', 'Use it in CI', 'A workflow file you can copy.', 'docs/guides/ci'],
]

/** What to do after the first steps. */
export const NextCards = (): JSX.Element => (
  <div class="next-cards">
    <h2>What next?</h2>
    {cards.map(([icon, title, about, page]) => (
      <a key={page} class={icon === 'bolt' ? 'sim' : undefined} href={page}>
        <Icon name={icon} />
        <b>{title}</b>
        <span class="soft small">{about}</span>
      </a>
    ))}
  </div>
)
