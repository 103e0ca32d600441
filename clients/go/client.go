package sessiontools
import (
_ "github.com/google/uuid"
_ "google.golang.org/genproto/googleapis/rpc/errdetails"
)
