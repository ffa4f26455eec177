# Installs Handrail for this user, without an administrator, into %LOCALAPPDATA%\Programs\Handrail:
#
#   irm https://github.com/handrail-dev/handrail/releases/latest/download/install.ps1 | iex
#   .\install.ps1 -Version v1.2.3     that one
#   .\install.ps1 -Uninstall          takes out everything of Handrail but the cards
#
# For Windows PowerShell 5.1 and PowerShell 7. Nothing is put in place before its checksum was found to be right.
# A script that was cut off in its download does nothing: the last line starts it. It is plain ASCII and so speaks
# English alone: Windows PowerShell takes a file, and what irm downloads, for another encoding.
param([string]$Version = '', [switch]$Uninstall)

function Get-File([string]$From, [string]$To) {
    try {
        Invoke-WebRequest -UseBasicParsing -Uri $From -OutFile $To
    } catch {
        throw "$From cannot be downloaded. Nothing was changed."
    }
}

# Says whether a shell finds what was installed. The PATH is the person's: it may hold variables that a script would lose.
function Show-Path([string]$Folder) {
    if (($env:Path -split ';') -contains $Folder) {
        $first = (Get-Command handrail -CommandType Application)[0].Source
        if ($first -eq "$Folder\handrail.exe") { "$Folder is on your PATH." }
        else { "$Folder is on your PATH, but $first comes first." }
        return
    }
    "$Folder is not on your PATH. Add it in the system's settings (Edit environment variables for your account)."
}

function Install-Handrail([string]$Bin, [string[]]$Programs) {
    $releases = $env:HANDRAIL_RELEASES
    if (-not $releases) { $releases = 'https://github.com/handrail-dev/handrail/releases' }
    $from = "$releases/latest/download"
    if ($Version) {
        if ($Version -notmatch '^[A-Za-z0-9.+-]+$') { throw "$Version is no version." }
        $from = "$releases/download/v$($Version -replace '^v', '')"
    }
    $arch = $env:PROCESSOR_ARCHITEW6432
    if (-not $arch) { $arch = $env:PROCESSOR_ARCHITECTURE }
    switch ($arch) {
        'AMD64' { $arch = 'amd64' }
        'ARM64' { $arch = 'arm64' }
        default { throw "There is no build for Windows on $arch." }
    }
    $archive = "handrail_windows_$arch.zip"
    New-Item -ItemType Directory -Force -Path $Bin | Out-Null
    $temp = Join-Path $Bin ".new-$PID"
    New-Item -ItemType Directory -Path $temp | Out-Null
    try {
        Get-File "$from/checksums.txt" "$temp\checksums.txt"
        Get-File "$from/$archive" "$temp\$archive"
        $want = Get-Content "$temp\checksums.txt" | ForEach-Object {
            $sum, $name = $_ -split '\s+\*?', 2
            if ($name -eq $archive) { $sum }
        }
        if (-not $want -or $want -ne (Get-FileHash -Algorithm SHA256 "$temp\$archive").Hash) {
            throw "$archive has another checksum than the release says: the download may be cut off. Nothing was changed."
        }
        Expand-Archive -Path "$temp\$archive" -DestinationPath "$temp\files"
        $new = & "$temp\files\handrail.exe" --version
        if ($LASTEXITCODE -ne 0) {
            throw "The program of $archive does not run here. Nothing was changed."
        }
        foreach ($program in $Programs) {
            $target = "$Bin\$program"
            # A program that runs cannot be written over, but it can be moved away; it goes at an install after its end.
            if (Test-Path $target) { Move-Item $target "$target.$((Get-Date).Ticks).old" }
            Move-Item "$temp\files\$program" $target
            Remove-Item "$target.*.old" -Force -ErrorAction SilentlyContinue
        }
        "Installed $new from $from, checksum verified:"
        foreach ($program in $Programs) { "  $Bin\$program" }
    } finally {
        Remove-Item $temp -Recurse -Force -ErrorAction SilentlyContinue
    }
    Show-Path $Bin
    'next: handrail setup'
}

function Uninstall-Handrail([string]$Bin, [string[]]$Programs) {
    if (-not (Test-Path "$Bin\handrail.exe")) {
        throw "There is no Handrail in $Bin."
    }
    & "$Bin\handrail.exe" uninstall --yes
    if ($LASTEXITCODE -ne 0) {
        throw '"handrail uninstall" failed, so the program stays: it is needed to try again.'
    }
    foreach ($program in $Programs) {
        Remove-Item "$Bin\$program", "$Bin\$program.*.old" -Force -ErrorAction SilentlyContinue
        if (Test-Path "$Bin\$program") { "$Bin\$program still runs, so it stays; remove it after its end." }
        else { "removed: $Bin\$program" }
    }
    if (-not (Get-ChildItem -Force $Bin)) { Remove-Item $Bin }
}

function Start-Here {
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue' # it makes downloads slow
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    $bin = Join-Path $env:LOCALAPPDATA 'Programs\Handrail'
    try {
        if ($Uninstall) { Uninstall-Handrail $bin @('handrail.exe', 'handrail-hook.exe') }
        else { Install-Handrail $bin @('handrail-hook.exe', 'handrail.exe') }
    } catch {
        [Console]::Error.WriteLine("install.ps1: $($_.Exception.Message)")
        if ($PSCommandPath) { exit 1 } # by "irm | iex" it would close the window
    }
}

Start-Here
