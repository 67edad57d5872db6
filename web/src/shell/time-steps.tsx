import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { advance } from './clock-actions.ts'
import { stepBack } from './rewind.ts'

type Step = { readonly label: string; readonly title: string; readonly run: () => void }

/** The buttons that advance the clock by a step. */
export function Steps({ isOpen }: { readonly isOpen: boolean }): JSX.Element {
  const bar = {
    label: 'Next bar',
    title: 'Advance to the next bar (,)',
    run: () => void advance({ until: 'next_bar' }),
  }
  const open = {
    label: 'Next open',
    title: 'Advance to the next open (o)',
    run: () => void advance({ until: 'next_open' }),
  }
  const close = {
    label: 'To close',
    title: 'Advance to the close (c)',
    run: () => void advance({ until: 'next_close' }),
  }
  const [first, others] = isOpen ? [close, [bar, open]] : [open, [bar, close]]
  return (
    <div class="steps">
      <button
        data-changes
        type="button"
        class="button back"
        aria-label="Rewind 1 minute"
        title="Rewind 1 minute: a branch begins there (z)"
        onClick={stepBack}
      >
        <Icon name="rewind" />
      </button>
      <button
        type="button"
        class="button"
        title="Advance 1 minute (.)"
        onClick={() => void advance({ by: '1m' })}
      >
        +1 min
      </button>
      <button
        type="button"
        class="button event"
        title="Advance to the next event (n)"
        onClick={() => void advance({ until: 'next_event' })}
      >
        Next event
      </button>
      <button type="button" class="button" title={first.title} onClick={first.run}>
        {first.label}
      </button>
      <MoreSteps steps={others} />
    </div>
  )
}

/** Steps that are needed less often. */
function MoreSteps({ steps }: { readonly steps: readonly Step[] }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <div
      class="more-steps"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node)) setOpen(false)
      }}
      onKeyDown={({ key }) => key === 'Escape' && setOpen(false)}
    >
      <button
        type="button"
        class="button"
        aria-label="More steps"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        <div class="menu above">
          {steps.map(({ label, title, run }) => (
            <button
              key={label}
              type="button"
              title={title}
              onClick={() => {
                setOpen(false)
                run()
              }}
            >
              {label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
