// Connections to and from the simulator. Added to package net by wavetank's build overlay.
//
// If the environment has WAVETANK_DOORS=<folder>, a TCP connection to 127.87.x.y goes to the Unix socket of that name in it,
// and a TCP port that the process listens on is the Unix socket port-<number> in it, where the simulator calls webhooks.
// What is written there has arrived when the call returns, so that no byte is in flight between two turns.

package net

import (
	"context"
	"syscall"
)

func virtualSocket(address *TCPAddr) string {
	folder, on := syscall.Getenv("WAVETANK_DOORS")
	if !on || address == nil {
		return ""
	}
	ip := address.IP.To4()
	if ip == nil || ip[0] != 127 || ip[1] != 87 {
		return ""
	}
	return folder + "/" + ip.String()
}

func (sd *sysDialer) dialVirtual(ctx context.Context, raddr *TCPAddr, path string) (*TCPConn, error) {
	fd, err := unixSocket(ctx, "unix", nil, &UnixAddr{Name: path, Net: "unix"}, "dial", nil)
	if err != nil {
		return nil, err
	}
	fd.raddr = raddr
	return &TCPConn{conn{fd}}, nil
}

func virtualPort(address *TCPAddr) string {
	folder, on := syscall.Getenv("WAVETANK_DOORS")
	if !on || address == nil || address.Port == 0 {
		return ""
	}
	_, port, _ := SplitHostPort(address.String())
	return folder + "/port-" + port
}

func (sl *sysListener) listenVirtual(ctx context.Context, laddr *TCPAddr, path string) (*TCPListener, error) {
	fd, err := unixSocket(ctx, "unix", &UnixAddr{Name: path, Net: "unix"}, nil, "listen", nil)
	if err != nil {
		return nil, err
	}
	fd.laddr = laddr
	return &TCPListener{fd: fd, lc: sl.ListenConfig}, nil
}
