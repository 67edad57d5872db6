import type { JSX } from 'preact'
import { icons } from './icons.table.tsx'

export type IconName = keyof typeof icons

export const Icon = ({ name }: { readonly name: IconName }): JSX.Element => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    {icons[name]()}
  </svg>
)

/** The logo: a cord with knots. */
export const Logo = (): JSX.Element => (
  <svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.6"
    stroke-linecap="round"
    aria-hidden="true"
  >
    <path d="M2 4.5q10 3 20 0M6 5.6V19M12 6v15M18 5.6V17" />
    <g fill="currentColor" stroke="none">
      <circle cx="6" cy="13" r="2.4" />
      <circle cx="12" cy="11" r="2.4" />
      <circle cx="12" cy="17" r="2.4" />
      <circle cx="18" cy="12" r="2.4" />
    </g>
  </svg>
)
