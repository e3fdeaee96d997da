import { Copy, Pencil, Tag as TagIcon, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  Button,
  CopyCode,
  Dialog,
  HiddenValue,
  MenuButton,
  MenuItem,
  MenuSection,
  Sheet,
  showToast,
  Tabs,
  TextField,
} from '../components/index.ts'
import { Sample } from './sample.tsx'

export function OverlaySamples() {
  const [open, setOpen] = useState<'dialog' | 'sheet' | null>(null)
  const close = () => setOpen(null)
  const foot = (
    <>
      <Button look="danger" isDisabled>
        Erase
      </Button>
      <Button onPress={close}>Cancel</Button>
      <span className="muted push">You get a receipt</span>
    </>
  )
  return (
    <Sample title="What opens">
      <div className="row-flex">
        <MenuButton label="Contact" button={<Button>Menu</Button>} placement="bottom start">
          <MenuSection title="Change">
            <MenuItem icon={<Pencil className="icon" />} shortcut="E">
              Edit
            </MenuItem>
            <MenuItem icon={<TagIcon className="icon" />} shortcut="T">
              Tag
            </MenuItem>
          </MenuSection>
          <MenuItem icon={<Copy className="icon" />}>Copy as curl</MenuItem>
          <MenuItem isDangerous icon={<Trash2 className="icon" />}>
            Delete
          </MenuItem>
        </MenuButton>
        <Button onPress={() => setOpen('dialog')}>Dialog</Button>
        <Button onPress={() => setOpen('sheet')}>Sheet</Button>
        <Button onPress={() => showToast({ text: '86 contacts tagged', action: { text: 'Undo', onPress: () => {} } })}>
          Toast
        </Button>
      </div>
      <HiddenValue title="Amounts are hidden from you">
        Your role Member lacks “amounts read”. Olivia Grant (owner) can give it.
      </HiddenValue>
      <Tabs
        label="Parts of the record"
        pages={[
          { id: 'timeline', title: 'Timeline', content: <p>Who changed what</p> },
          { id: 'notes', title: 'Notes', count: 2, content: <p>What was written</p> },
        ]}
      />
      <CopyCode label="curl line" text={'curl -X PATCH "https://crm.demo.example/api/v1/crm/contacts/0192f3a4-77c1"'} />
      <Dialog
        isOpen={open === 'dialog'}
        isKept
        onClose={close}
        title="Erase Petrova Anna"
        note="Names, e-mails, phones and notes go, here and in the audit. This cannot be undone."
        foot={foot}
      >
        <TextField label="Type the name to erase" />
      </Dialog>
      <Sheet isOpen={open === 'sheet'} onClose={close} title="New contact" foot={<Button look="primary">Save</Button>}>
        <div className="form">
          <TextField label="First name" />
          <TextField label="Last name" />
        </div>
      </Sheet>
    </Sample>
  )
}
