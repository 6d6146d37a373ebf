// CoreDNS with the six plugins that cluster DNS needs: the whole of it takes minutes to build.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/ready"
)

// The order in which plugins are chained.
func init() {
	dnsserver.Directives = []string{"health", "ready", "errors", "log", "cache", "kubernetes"}
}

func main() { coremain.Run() }
