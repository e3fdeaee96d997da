import { useQueryClient } from '@tanstack/react-query'
import { sentenceOf, signOut } from '../api/index.ts'
import { showToast } from '../components/index.ts'
import { useWords } from '../words/index.ts'

/** Ends the session and leaves with a new load of the page, so that nothing that was shown stays in its memory. */
export function useSignOut(): () => void {
  const client = useQueryClient()
  const words = useWords()
  return () => {
    signOut(client).then(
      () => location.assign('/cabinet/sign-in'),
      (error: unknown) => showToast({ text: sentenceOf(error, words) }),
    )
  }
}
