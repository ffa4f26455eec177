package find

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"
)

// IsOwn takes every file for the user's: the system keeps others' from being replaced, and folders below the user's own
// inherit who may use them.
func IsOwn(fs.FileInfo) bool { return true }

// owned reports whether a folder is this user's: by the SID of its owner. What the system or its
// administrators own counts, since nobody else can make it theirs.
func owned(dir string) bool {
	sd, err := windows.GetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return false
	}
	owner, _, err := sd.Owner()
	if err != nil || owner == nil {
		return false
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	return err == nil && owner.Equals(user.User.Sid) ||
		owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) || owner.IsWellKnown(windows.WinLocalSystemSid)
}

// Identity returns what a folder is, whatever its name and place: the numbers of its volume and of
// its file, which is not given again. "" for no folder.
func Identity(dir string) string {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return ""
	}
	h, err := windows.CreateFile(name, 0, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing was written
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &info); err != nil {
		return ""
	}
	return fmt.Sprintf("%x-%x%08x", info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow)
}
