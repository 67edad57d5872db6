import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../../../parts/question.tsx'
import { Popover } from '../../../parts/table/popover.tsx'
import { chooseList, createList, deleteList, lists, shownList } from './watchlist-state.ts'

/** Chooses one of the watchlists of the account, creates one, or deletes the one on screen. */
export const ListMenu = (): JSX.Element => (
  <Popover label="Watchlists" icon="more" class="only-icon" content={<Lists />} />
)

function Lists(): JSX.Element {
  const [name, setName] = useState('')
  const shown = shownList.value
  return (
    <>
      {(lists.value ?? []).map((list) => (
        <label key={list.id} class="check-box">
          <input
            type="radio"
            name="watchlist"
            checked={list.id === shown?.id}
            onChange={() => chooseList(list.id)}
          />
          {list.name}
        </label>
      ))}
      {!shown && (
        <p class="faint">Your positions and well-known symbols. A change makes a list of your own.</p>
      )}
      <form
        data-changes
        class="new-list"
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() !== '') void createList(name.trim())
          setName('')
        }}
      >
        <input
          aria-label="Name of a new watchlist"
          placeholder="New watchlist"
          maxLength={64}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit" class="button small" disabled={name.trim() === ''}>
          Create
        </button>
      </form>
      {shown && (
        <button data-changes type="button" class="button small bare" onClick={() => void remove(shown)}>
          Delete {shown.name} …
        </button>
      )}
    </>
  )
}

async function remove({ id, name }: { readonly id: string; readonly name: string }): Promise<void> {
  const confirmed = await ask({
    title: `Delete the watchlist ${name}?`,
    effect: 'Its symbols stay in the world. Programs that read the list do not find it any more.',
    keep: 'Keep it',
    confirm: `Delete ${name}`,
  })
  if (confirmed) await deleteList(id)
}
