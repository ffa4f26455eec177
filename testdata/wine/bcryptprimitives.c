/* What Go needs of bcryptprimitives.dll, which Wine 8 lacks. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	for (; size > 0xffff; size -= 0xffff, data += 0xffff)
		if (!SystemFunction036(data, 0xffff))
			return FALSE;
	return SystemFunction036(data, (ULONG)size);
}
